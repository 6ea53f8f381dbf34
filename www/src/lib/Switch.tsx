interface Props {
  label: string;
  on: boolean;
  onChange(on: boolean): void;
}

export function Switch({ label, on, onChange }: Props) {
  return (
    <label className="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
