// Name of the modifier key on this keyboard.
/** As it is written on this keyboard. */
export const modifierKey = /^Mac/.test(navigator.platform) ? '⌘' : 'Ctrl';
