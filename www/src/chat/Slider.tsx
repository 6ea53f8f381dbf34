import { useId } from "react";

interface Props {
  label: string;
  min: number;
  max: number;
  value: number;
  /** The value in words. */
  text: string;
  onChange(value: number): void;
}

export function Slider({ label, min, max, value, text, onChange }: Props) {
  const id = useId();
  return (
    <div className="slider">
      <label htmlFor={id}>{label}</label>
      <span className="slider-value" aria-hidden="true">
        {text}
      </span>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        value={value}
        aria-valuetext={text}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
    </div>
  );
}
