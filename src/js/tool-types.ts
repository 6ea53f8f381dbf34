/** What the five tools take and answer (seed 001). */

/** What a criterion of completion checks. */
export type CriterionType =
  | "field_exists"
  | "field_equals"
  | "field_not_empty"
  | "block_exists"
  | "action_exists"
  | "block_count"
  | "custom";
