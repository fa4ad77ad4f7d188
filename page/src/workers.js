// page: starts workers that may contact only the page's own server, and notices their end
// MIT license; Copyright (c) 2026 the tflm authors

/**
 * Start a worker from a file beside the page. A worker from a file has only the policy that the server
 * sends. A worker from a blob has the page's policy, also for the file that it imports.
 *
 * The worker holds a lock while it lives: the browser releases the lock when the worker ends for any
 * reason, such as too little memory. Browsers offer locks only over HTTPS and at local addresses.
 * @param {string} name
 * @param {(missing: boolean) => void} ended called when the worker has ended; missing: it was not loaded
 */
export function worker(name, ended) {
  const file = new URL(name, document.baseURI).href;
  const lock = `${name} ${Math.random()}`;
  const script = `import ${JSON.stringify(file)};
    const lock = ${JSON.stringify(lock)};
    const alive = () => self.postMessage(lock);
    if (navigator.locks) navigator.locks.request(lock, () => { alive(); return new Promise(() => {}); });
    else alive();`;
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const started = new Worker(address, { type: 'module', name });
  let loaded = false;
  started.addEventListener('message', (event) => {
    if (event.data !== lock) return;
    event.stopImmediatePropagation();
    loaded = true;
    navigator.locks?.request(lock, () => ended(false));
  });
  started.addEventListener('error', (event) => {
    event.preventDefault(); // `ended` reports it
    started.terminate();
    if (!loaded || !navigator.locks) ended(!loaded);
  });
  return started;
}
