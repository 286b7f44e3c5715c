"""An agent whose tools are operations of an API, taken from its OpenAPI document."""

import os

from troupe import Troupe

troupe = Troupe(os.environ["TROUPE_URL"], os.environ["TROUPE_TOKEN"])
url = f"{os.environ['PRICES_URL']}/openapi.json"

agent = troupe.create_agent({"name": "Clerk", "system_prompt": "Look prices up."})
# What there is, and what it would become: nothing is stored.
shown = troupe.import_agent_tools(agent["id"], {"url": url, "dry_run": True})
print(", ".join(one["operation_id"] for one in shown["operations"]))
troupe.import_agent_tools(agent["id"], {"url": url, "operations": ["getPrice"], "retry": {"times": 3}})

workspace = next(troupe.list_all_workspaces())
chat = troupe.create_chat({"agent_id": agent["id"], "workspace_id": workspace["id"]})
done = troupe.send_message(chat["id"], {"content": os.environ["QUESTION"]})["job"]
while done["status"] not in ("completed", "failed", "cancelled"):
    done = troupe.wait_for_job(done["id"], since_version=done["version"], wait=20) or done
print(done["status"], done["result"])
