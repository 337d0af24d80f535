/** The response to a commit was lost: it may or may not have taken effect. */
export class OutcomeUnknown extends Error {}
