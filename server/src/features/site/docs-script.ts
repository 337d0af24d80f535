// The little script of the reference: filters the endpoints while one types, opens the one an address points to.
// Without it everything can still be read. Kept as text because it runs in the reader's browser as it stands.
export const docsScript = `'use strict';
const field = document.getElementById('filter');
const found = document.getElementById('found');
const endpoints = [...document.querySelectorAll('.endpoint')];
const asides = [...document.querySelectorAll('[data-aside]')];
const features = [...document.querySelectorAll('[data-feature]')];

function filter() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const endpoint of endpoints) {
    endpoint.hidden = !words.every(word => endpoint.dataset.words.includes(word));
    if (!endpoint.hidden) count += 1;
  }
  for (const feature of features) feature.hidden = !feature.querySelector('.endpoint:not([hidden])');
  for (const aside of asides) aside.hidden = words.length > 0;
  found.textContent = count === 1 ? '1 endpoint' : count + ' endpoints';
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest('[hidden]')) {
    field.value = '';
    filter();
  }
  const endpoint = target.closest('.endpoint');
  if (endpoint) endpoint.open = true;
  target.scrollIntoView();
}

field.disabled = false;
field.addEventListener('input', filter);
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return;
  event.preventDefault();
  field.focus();
});
field.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  field.value = '';
  filter();
});
window.addEventListener('hashchange', openTarget);
if (matchMedia('(max-width: 48rem)').matches) document.querySelector('nav details').open = false;
filter();
openTarget();
`;
