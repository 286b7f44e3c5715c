"""An agent with a tool that this program runs, and an answer that fits a schema."""

import json
import os
import urllib.request

from troupe import Troupe, send_with_tools

troupe = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])
LOOKUP = {
    "kind": "client",
    "name": "lookup",
    "description": "The price of an article",
    "input_schema": {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]},
}
PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}


def lookup(given):
    with urllib.request.urlopen(f"{os.environ['PRICES_URL']}/{given['article']}") as answer:
        return answer.read().decode()


agent = troupe.create_agent(
    {"name": "Clerk", "system_prompt": "Look the price up.", "tools": [LOOKUP], "output_schema": PRICE}
)
workspace = next(troupe.list_all_workspaces())
chat = troupe.create_chat({"agent_id": agent["id"], "workspace_id": workspace["id"]})

done = send_with_tools(troupe, chat["id"], {"content": os.environ["QUESTION"], "tools": {"lookup": lookup}})
print(done["status"], json.dumps(done["output"]))
