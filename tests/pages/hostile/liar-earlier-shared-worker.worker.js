self.onconnect = ({ ports: [port] }) => {
  port.onmessage = () => fetch("/w", { method: "POST", body: "w" });
  port.postMessage("up");
};
