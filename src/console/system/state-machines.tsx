/** The states of jobs, chats, missions and tasks, and what leads from one to another. */
import { useState } from "preact/hooks";
import { useLoaded, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";

export function StateMachines() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>States of jobs, chats, missions and tasks</summary>
      {isOpen ? <MachineTables /> : null}
      <CopyAsCurl path="/api/state-machines" />
    </details>
  );
}

function MachineTables() {
  const found = useLoaded((signal) => service.listStateMachines({ signal }), []);
  return (
    <WhenLoaded of={found}>
      {({ machines }) => (
        <>
          {machines.map(({ name, transitions }) => {
            const words = `States of a ${name.replaceAll("_", " ")}`;
            return (
              <ScrolledTable key={name} label={words} caption={words} columns={["From", "By", "To"]}>
                {transitions.map(({ from, trigger, to }) => (
                  <tr key={`${from} ${trigger}`}>
                    <td>{from}</td>
                    <td>{trigger}</td>
                    <td>{to}</td>
                  </tr>
                ))}
              </ScrolledTable>
            );
          })}
        </>
      )}
    </WhenLoaded>
  );
}
