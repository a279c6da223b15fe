export interface TextFieldProps<Field extends string> {
  name: Field;
  label: string;
  value: string;
  placeholder: string;
  /** Default: false. */
  isRequired?: boolean;
  /** In UTF-16 units. Default: no limit. */
  maxLength?: number;
  onInput: (value: string) => void;
}

/** A field of a form for a line of text, which the browser does not complete or correct. */
export function TextField<Field extends string>({
  name,
  label,
  value,
  placeholder,
  isRequired = false,
  maxLength,
  onInput,
}: TextFieldProps<Field>) {
  return (
    <label>
      <span>{label}</span>
      <input
        name={name}
        value={value}
        placeholder={placeholder}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        {...(maxLength !== undefined && { maxLength })}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
