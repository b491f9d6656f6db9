// Starts the page, or says in words why it cannot: the page's modules import the built
// package, which a fresh checkout does not have yet.

import('./page.js').then(
  ({ start }) => start(),
  () => {
    const trouble = document.querySelector('#trouble');
    trouble.textContent = 'The package is not built yet, or not served beside this page. Run “make run” in the repository, then “make www”, and reload.';
    trouble.hidden = false;
  },
);
