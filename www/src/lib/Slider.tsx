import { useId } from "react";

interface Props {
  label: string;
  min: number;
  max: number;
  step?: number;
  value: number;
  /** The value in words. */
  text: string;
  onChange(value: number): void;
}

export function Slider({ label, min, max, step = 1, value, text, onChange }: Props) {
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
        step={step}
        value={value}
        aria-valuetext={text}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
    </div>
  );
}
