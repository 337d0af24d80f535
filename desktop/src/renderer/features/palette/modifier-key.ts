/** As it is written on this keyboard. */
export const modifierKey = /^Mac/.test(navigator.platform) ? '⌘' : 'Ctrl';
