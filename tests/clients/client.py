"""The Python SDK, told what to do line by line on standard input; see python.ts."""

import asyncio
import json
import os
import sys

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def say(said):
    print(json.dumps(said), flush=True)


async def main(bridge, name):
    async def heard(message):
        if isinstance(message, types.ToolListChangedNotification) or isinstance(
            getattr(message, "root", None), types.ToolListChangedNotification
        ):
            say({"event": "changed"})

    server = StdioServerParameters(command=bridge, args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write):
        who = types.Implementation(name=name, version="1.0")
        async with ClientSession(read, write, client_info=who, message_handler=heard) as session:
            await session.initialize()
            say({"event": "ready"})
            await commands(session)


async def commands(session):
    running = {}
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        command = json.loads(line)
        if "cancel" in command:
            if task := running.get(command["cancel"]):
                task.cancel()
            continue
        task = asyncio.create_task(carry_out(session, command))
        running[command["id"]] = task
        task.add_done_callback(lambda _, number=command["id"]: running.pop(number, None))

    for task in running.values():
        task.cancel()


async def carry_out(session, command):
    number = command["id"]

    async def progress(*_):
        say({"id": number, "event": "progress"})

    try:
        if command["do"] == "list":
            result = await session.list_tools()
        else:
            result = await session.call_tool(
                command["tool"], command["args"], read_timeout_seconds=command.get("timeout"), progress_callback=progress
            )
        say({"id": number, "result": result.model_dump(mode="json", by_alias=True, exclude_none=True)})
    except asyncio.CancelledError:
        say({"id": number, "error": "cancelled"})
    except Exception as error:  # What the SDK says is what is to be seen.
        say({"id": number, "error": f"{type(error).__name__}: {error}"})


asyncio.run(main(*sys.argv[1:]))
