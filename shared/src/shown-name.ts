const turning = /[\u202a-\u202e\u2066-\u2069]/gu;

/** A name that somebody else gave: letters that turn others around would let `gpj.exe` read as `exe.jpg`. */
export const toShownName = (name: string, instead = '\ufffd'): string => name.replace(turning, instead);
