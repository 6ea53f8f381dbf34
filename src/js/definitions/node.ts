/** The definition of the tool that updates nodes of task flows, for models. */
import { object, text } from "./format.js";
import type { ToolDefinition } from "./types.js";

/** The argument `isApprovedUpdate` is left out: an agent's calls cannot use it. */
export const nodeTools: readonly ToolDefinition[] = [
  {
    name: "updateNode",
    description:
      "Updates a node of a task flow: merges newData into its data, field by field. With approvalStyle visual, or where the node's type asks for it, nothing changes until the user approves: the answer is pending_confirmation with a diff. Do not send the update again; wait for the decision.",
    input: object(
      {
        taskId: text("The id of the task flow that holds the node."),
        nodeId: text("The id of the node."),
        newData: { description: "An object with the fields to change and their new values. Other fields stay." },
        approvalStyle: {
          ...text("text: update at once. visual: propose, for the user to review. Left out: as the node type says."),
          enum: ["text", "visual"],
        },
        diffFields: {
          type: "array",
          items: { type: "string" },
          description: "The fields that the review shows first. Left out: all that change.",
        },
      },
      ["taskId", "nodeId", "newData"],
    ),
  },
];
