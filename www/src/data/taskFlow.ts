/** A task flow as a product team would keep one, and how its nodes are changed. */

export const taskFlow = {
  id: "heron-app",
  nodes: [
    {
      id: "problem",
      type: "problem",
      data: {
        title: "Walkers miss the herons",
        description: "Most visitors pass the weir before eight, when the herons have left.",
        tags: ["birds", "timing"],
        priority: 2,
      },
    },
    {
      id: "note",
      type: "note",
      data: { title: "Field notes", text: "Two herons at the weir, rain until noon." },
    },
  ],
};

export const nodeTypes = {
  problem: {
    ui: { diffFields: ["title", "description"] },
    actions: { update: { tool: "updateNode", needsApproval: true, approvalStyle: "visual", executionMode: "backend" } },
  },
  note: {
    actions: { update: { tool: "updateNode", needsApproval: false, approvalStyle: "text", executionMode: "backend" } },
  },
};
