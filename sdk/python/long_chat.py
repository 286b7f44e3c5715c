"""Keeps a fact in a long conversation, compacts the rest, and edits an earlier message in a fork."""

import os

from troupe import Troupe

troupe = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])

agent = troupe.create_agent({"name": "Ada", "system_prompt": "Be brief."})
workspace = next(troupe.list_all_workspaces())
chat = troupe.create_chat({"agent_id": agent["id"], "workspace_id": workspace["id"]})["id"]


def turn(begun):
    """Prints what is answered: the events after those that the request's answer has seen, until the turn has ended."""
    seen = begun["chat"]
    for event in troupe.stream_chat_events(seen["id"], after=str(seen["last_seq"]), wait="end"):
        if event["event"] == "message.completed":
            print(event["data"]["content"])


first = troupe.send_message(chat, {"content": "My name is Grace"})
message_id = first["message"]["id"]
turn(first)
turn(troupe.send_message(chat, {"content": "Count to three"}))

# The pinned message stays as it was said; a summary stands for the others.
troupe.update_message(chat, message_id, {"pinned": True})
turn(troupe.compact_chat(chat, {"instructions": "Keep all numbers."}))
print(f"The summary stands for {troupe.get_chat(chat)['summary']['messages']} messages")

# This chat stays as it is: the new one has another message in the place of the first.
turn(troupe.fork_chat(chat, {"from_message_id": message_id, "content": "My name is Ada"}))
