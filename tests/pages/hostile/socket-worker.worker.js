const connect = () => {
  const socket = new WebSocket("ws://" + location.host + "/chat");
  socket.onopen = () => {
    onmessage = () => socket.send("w");
    postMessage("open");
  };
  socket.onerror = () => setTimeout(connect, 200);
};
connect();
