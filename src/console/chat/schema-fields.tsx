/** Fields for a value that a JSON Schema describes: one for each property of the object; what has no simple form is JSON. */
import type { ComponentChildren } from "preact";
import { CheckField, ChoiceField, AreaField, NumberField, TextField } from "../pieces/fields.tsx";
import { JsonField } from "../pieces/written-fields.tsx";

export type SchemaValue = Readonly<Record<string, unknown>>;

interface SchemaFieldsProps {
  readonly schema: SchemaValue;
  readonly value: SchemaValue;
  readonly change: (value: SchemaValue) => void;
  /** Where the value is in the body of the request; errors name it. */
  readonly path: string;
}

/** Longer texts, and those of several lines, have several lines to write in. */
const ARGUMENT_LINE_CHARACTERS = 80;

export function SchemaFields({ schema, value, change, path }: SchemaFieldsProps) {
  const properties = objectIn(schema["properties"]) ?? {};
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as readonly unknown[]) : []);
  // What the value has beside the properties is shown too: a person decides on all of it.
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  const set = (name: string, next: unknown): void => {
    const { [name]: _, ...others } = value;
    change(next === undefined ? others : { ...value, [name]: next });
  };
  if (names.length === 0) return <p class="quiet">The call has no arguments.</p>;
  return (
    <>
      {names.map((name) => (
        <PropertyField
          key={name}
          name={name}
          property={objectIn(properties[name]) ?? {}}
          isRequired={required.has(name)}
          path={`${path}/${name}`}
          value={value[name]}
          set={(next) => set(name, next)}
        />
      ))}
    </>
  );
}

interface PropertyFieldProps {
  readonly name: string;
  readonly property: SchemaValue;
  readonly isRequired: boolean;
  readonly path: string;
  readonly value: unknown;
  /** Undefined removes the property. */
  readonly set: (value: unknown) => void;
}

function PropertyField({ name, property, isRequired, path, value, set }: PropertyFieldProps): ComponentChildren {
  const { type, description } = property;
  const label = isRequired ? `${name} (needed)` : name;
  const common = { label, path, ...(typeof description === "string" ? { hint: description } : {}) };
  const choices = Array.isArray(property["enum"]) ? (property["enum"] as readonly unknown[]) : [];
  const isEmpty = value === undefined;
  if (choices.length > 0 && choices.every((one) => typeof one === "string") && (isEmpty || typeof value === "string"))
    return (
      <ChoiceField
        {...common}
        value={value ?? ""}
        change={(next) => set(next === "" && !choices.includes("") ? undefined : next)}
        choices={[
          ...(isRequired || choices.includes("") ? [] : [["", "not given"] as const]),
          ...choices.map((one) => [one, one] as const),
        ]}
      />
    );
  if (type === "boolean" && (isEmpty || typeof value === "boolean"))
    return <CheckField label={label} value={value ?? false} change={set} />;
  if ((type === "number" || type === "integer") && (isEmpty || typeof value === "number"))
    return (
      <NumberField
        {...common}
        min={typeof property["minimum"] === "number" ? property["minimum"] : undefined}
        step={type === "integer" ? 1 : "any"}
        value={value ?? null}
        change={(next) => set(next ?? undefined)}
      />
    );
  if (type === "string" && (isEmpty || typeof value === "string")) {
    const text = value ?? "";
    const change = (next: string): void => set(next === "" && !isRequired ? undefined : next);
    return text.length > ARGUMENT_LINE_CHARACTERS || text.includes("\n") ? (
      <AreaField {...common} value={text} change={change} />
    ) : (
      <TextField {...common} value={text} change={change} />
    );
  }
  return <JsonField {...common} value={value ?? null} change={(next) => set(next ?? undefined)} />;
}

const objectIn = (value: unknown): SchemaValue | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as SchemaValue) : null;
