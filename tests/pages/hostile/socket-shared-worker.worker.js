self.onconnect = ({ ports: [port] }) => {
  port.onmessage = () => {
    const socket = new WebSocket("ws://" + location.host + "/w");
    socket.onopen = () => port.postMessage("opened");
    socket.onclose = () => port.postMessage("closed");
  };
  port.postMessage("up");
};
