// Progress bars, drawn by us: Firefox shows the empty part of its own in white on a dark page, like a full bar.

export const progressStyles = `progress { appearance: none; height: 0.375rem; border: 0; border-radius: 1rem; background: var(--line); overflow: hidden; }
progress::-webkit-progress-bar { background: none; }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
progress:indeterminate { background: linear-gradient(90deg, var(--line) 30%, var(--accent) 50%, var(--line) 70%) 50% / 200% 100%; }
progress:indeterminate::-moz-progress-bar { background: none; }
@media (prefers-reduced-motion: no-preference) {
  :root:not([data-motion=off]) progress:indeterminate { animation: progress 1.4s linear infinite; }
  @keyframes progress { from { background-position: 150% 0; } to { background-position: -50% 0; } }
}`;
