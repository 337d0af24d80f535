// The logo of the product.
import { colours } from './tokens.ts';

const [blue] = colours.accent;

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="7" fill="${blue}"/><path d="M9 8h10l4 4v12H9z" fill="#fff"/><path d="M12 17.5l3 3 5-6" fill="none" stroke="${blue}" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
