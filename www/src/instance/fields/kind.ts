import type { Json } from "genui-patch";
import type { ComponentType } from "react";
import type { View, ViewObject } from "../../lib/view";

export interface FieldProps {
  /** For the control that the label names. */
  id: string;
  field: ViewObject;
  value: View | undefined;
  /** The ids of what describes it. */
  notes: string | undefined;
  onWrite(value: Json): void;
  /** Tells why nothing can be written; "" when that is over. */
  onFault(message: string): void;
}

export interface FieldKind {
  /** One control with a label, one with its label behind it, several controls, or nothing to enter. */
  shape: "control" | "inline" | "group" | "shown";
  Input: ComponentType<FieldProps>;
}
