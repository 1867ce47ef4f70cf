fetch("/w", { method: "POST", body: "w" });
