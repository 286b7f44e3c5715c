"""Has a conversation with an agent, and shows its answer while it is written."""

import os
import sys

from troupe import ApiError, LiveText, Troupe

troupe = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])

try:
    agent = troupe.create_agent({"name": "Ada", "system_prompt": "Be brief."})
    workspace = next(troupe.list_all_workspaces())
    chat = troupe.create_chat({"agent_id": agent["id"], "workspace_id": workspace["id"]})
    troupe.send_message(chat["id"], {"content": "Hello"})

    # The stream ends with the agent's turn. Where it is cut, it goes on by itself.
    live = LiveText()
    for event in troupe.stream_chat_events(chat["id"], replay="all", wait="end"):
        if event["event"] == "message.delta":
            print("…", live.apply(event))
        if event["event"] == "message.completed":
            print(f"{agent['name']}: {event['data']['content']}")
except ApiError as error:
    sys.exit(f"{error.code}: {error} (request {error.request_id})")
