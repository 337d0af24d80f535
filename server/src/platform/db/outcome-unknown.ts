/** A commit was asked for and its answer got lost: it may have happened or not. */
export class OutcomeUnknown extends Error {}
