/** The field types, and what renders each. */
import { BadgeField } from "./BadgeField";
import { CheckboxField } from "./CheckboxField";
import { DateField } from "./DateField";
import { FileField } from "./FileField";
import { HtmlField } from "./HtmlField";
import { ImageField } from "./ImageField";
import { JsonField } from "./JsonField";
import type { FieldKind } from "./kind";
import { MultiselectField } from "./MultiselectField";
import { NumberField } from "./NumberField";
import { PlaceholderField } from "./PlaceholderField";
import { ProgressField } from "./ProgressField";
import { RadioField } from "./RadioField";
import { SelectField } from "./SelectField";
import { TableField } from "./TableField";
import { TextareaField } from "./TextareaField";
import { TextField } from "./TextField";

export const fieldKinds: Readonly<Record<string, FieldKind>> = {
  text: { shape: "control", Input: TextField },
  number: { shape: "control", Input: NumberField },
  textarea: { shape: "control", Input: TextareaField },
  select: { shape: "control", Input: SelectField },
  checkbox: { shape: "inline", Input: CheckboxField },
  radio: { shape: "group", Input: RadioField },
  multiselect: { shape: "group", Input: MultiselectField },
  json: { shape: "control", Input: JsonField },
  date: { shape: "control", Input: DateField },
  datetime: { shape: "control", Input: DateField },
  file: { shape: "control", Input: FileField },
  html: { shape: "shown", Input: HtmlField },
  image: { shape: "shown", Input: ImageField },
  tag: { shape: "shown", Input: BadgeField },
  badge: { shape: "shown", Input: BadgeField },
  progress: { shape: "control", Input: ProgressField },
  table: { shape: "shown", Input: TableField },
  component: { shape: "shown", Input: PlaceholderField },
  modal: { shape: "shown", Input: PlaceholderField },
};

export { PlaceholderField as Unknown };
