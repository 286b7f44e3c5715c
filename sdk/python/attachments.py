"""Sends a file with a message, and shows the answer."""

import os
import sys

from troupe import ApiError, Troupe

troupe = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])

try:
    agent = troupe.create_agent({"name": "Ada", "system_prompt": "Be brief."})
    workspace = next(troupe.list_all_workspaces())
    chat = troupe.create_chat({"agent_id": agent["id"], "workspace_id": workspace["id"]})

    # An image or a PDF goes the same way; "type" is "image" for images. An open file is sent as it is read.
    file = troupe.create_upload(b"article,price\npen,7\n", name="prices.csv")
    troupe.send_message(
        chat["id"],
        {
            "content": [
                {"type": "text", "text": "What does a pen cost?"},
                {"type": "file", "source": {"kind": "upload", "file_id": file["id"]}},
            ]
        },
    )
    for event in troupe.stream_chat_events(chat["id"], replay="all", wait="end"):
        if event["event"] == "message.completed":
            print(f"{file['media_type']} – {agent['name']}: {event['data']['content']}")
except ApiError as error:
    sys.exit(f"{error.code}: {error} (request {error.request_id})")
