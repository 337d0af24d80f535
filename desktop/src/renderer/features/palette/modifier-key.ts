// Name of the modifier key, as it is written on this keyboard.
export const modifierKey = /^Mac/.test(navigator.platform) ? '⌘' : 'Ctrl';
