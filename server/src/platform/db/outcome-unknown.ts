// Error of a commit whose response was lost: it may or may not have taken effect.
export class OutcomeUnknown extends Error {}
