"""Drives `mock-llm serve` with the official OpenAI client: one conversation with tool calls, streamed and not."""

import json
import re
import subprocess
import sys

from openai import NotFoundError, OpenAI

USER = "Deploy this Flask app to the Kubernetes cluster.\n\n[Files in the working directory: app.py]"
SOURCE = '"""A guest book. Image: registry.example/guestbook, port 8000."""\n@app.get("/about")  # open to everyone\n'
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": name, "parameters": {"type": "object", "properties": {}}},
    }
    for name in ("terminal", "read_file", "write_file", "patch", "skill_view")
]
CALLS = ["terminal", "read_file", "write_file", "terminal", "write_file", "terminal", "write_file", "terminal", "terminal"]


def result(name: str) -> str:
    """What the tool answers: the file that is read, and success for everything else."""
    if name == "read_file":
        return json.dumps({"path": "/work/app.py", "content": SOURCE})
    if name == "terminal":
        return json.dumps({"output": "", "exit_code": 0})
    return json.dumps({"success": True})


def whole(client: OpenAI, messages: list) -> tuple:
    """Text, calls and finish reason of an answer that comes at once."""
    answer = client.chat.completions.create(model="scripted", messages=messages, tools=TOOLS)
    choice = answer.choices[0]
    calls = [(call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
    assert answer.usage.prompt_tokens > 0 and answer.usage.completion_tokens > 0, answer.usage
    return choice.message.content or "", calls, choice.finish_reason


def streamed(client: OpenAI, messages: list) -> tuple:
    """The same of an answer that comes in pieces."""
    text, calls, finish, usage = "", {}, None, None
    stream = client.chat.completions.create(
        model="scripted", messages=messages, tools=TOOLS, stream=True, stream_options={"include_usage": True}
    )
    for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for part in choice.delta.tool_calls or []:
                call = calls.setdefault(part.index, ["", "", ""])
                call[0] += part.id or ""
                call[1] += part.function.name or ""
                call[2] += part.function.arguments or ""
    assert usage is not None and usage.prompt_tokens > 0, usage
    return text, [tuple(call) for _, call in sorted(calls.items())], finish


def converse(client: OpenAI, ask) -> list:
    """The whole conversation: every call with its arguments, then the last words."""
    messages = [{"role": "system", "content": "You operate a cluster."}, {"role": "user", "content": USER}]
    said = []
    while True:
        text, calls, finish = ask(client, messages)
        if not calls:
            assert finish == "stop", finish
            return said + [text]
        assert finish == "tool_calls", finish
        wanted = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in calls
        ]
        messages.append({"role": "assistant", "content": text, "tool_calls": wanted})
        for id, name, arguments in calls:
            said.append((name, json.loads(arguments)))
            messages.append({"role": "tool", "tool_call_id": id, "content": result(name)})
        assert len(messages) < 100, "the conversation does not end"


def main() -> None:
    server = subprocess.Popen([sys.argv[1], "serve", sys.argv[2], "--addr", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/v1", line).group()
        client = OpenAI(base_url=url, api_key="mock", max_retries=0, timeout=10)
        assert client.models.list().data, "no model is listed"
        once, in_pieces = converse(client, whole), converse(client, streamed)
        assert once == in_pieces, (once, in_pieces)
        assert [name for name, _ in once[:-1]] == CALLS, once
        assert once[-1] == "guestbook is running in the cluster.", once[-1]
        try:
            client.files.list()
            raise AssertionError("what is not served must not be found")
        except NotFoundError:
            pass
        print(f"{len(CALLS)} calls and an answer, streamed and not: the same")
    finally:
        server.terminate()
        server.wait(timeout=10)


main()
