// The attacker's page of cross-site.test.ts.

/** Submits a form of every encoding type into a frame. */
async function forms(targets) {
  const sent = targets.flatMap(({ method, url, fields }, i) =>
    ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'].map(async (enctype, n) => {
      const frame = document.createElement('iframe');
      frame.name = `frame-${i}-${n}`;
      const form = document.createElement('form');
      const action = method === 'POST' ? url : `${url}?_method=${method}`;
      Object.assign(form, { method: 'post', action, enctype, target: frame.name });
      for (const [name, value] of Object.entries({ ...fields, _method: method })) {
        const input = document.createElement('input');
        Object.assign(input, { name, value });
        form.append(input);
      }
      if (enctype === 'multipart/form-data') {
        const file = document.createElement('input');
        Object.assign(file, { type: 'file', name: 'files' });
        const chosen = new DataTransfer();
        chosen.items.add(new File(['%PDF-1.7 stolen'], 'stolen.pdf', { type: 'application/pdf' }));
        file.files = chosen.files;
        form.append(file);
      }
      document.body.append(frame, form);
      // The initial load event of the empty frame comes first.
      await new Promise((resolve) => setTimeout(resolve));
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      form.submit();
      await loaded;
      frame.remove();
      form.remove();
    }),
  );
  await Promise.all(sent);
}

/** Submits forms without an origin or a referrer, from a sandboxed frame. */
async function sandboxedForms(targets) {
  const sent = targets.map(async ({ url, fields }) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts allow-forms');
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    // The frame loads twice: its own document, then the response.
    const form = `<form method="post" action="${url}">${inputs.join('')}</form>`;
    frame.srcdoc = `<meta name="referrer" content="no-referrer"><body onload="document.forms[0].submit()">${form}`;
    let loads = 0;
    const loaded = new Promise((resolve) =>
      frame.addEventListener('load', () => {
        if (++loads === 2) resolve();
      }),
    );
    document.body.append(frame);
    await loaded;
    frame.remove();
  });
  await Promise.all(sent);
}

/** Sends requests with cookies and every kind of body, with and without a CORS preflight. */
async function fetches(targets) {
  const sent = targets.flatMap(({ method, url, fields }) => {
    const file = new FormData();
    for (const [name, value] of Object.entries(fields)) file.append(name, value);
    file.append('files', new Blob(['%PDF-1.7 stolen'], { type: 'application/pdf' }), 'stolen.pdf');
    const bodies = [
      new URLSearchParams(fields),
      file,
      JSON.stringify(fields),
      new Blob([JSON.stringify(fields)]),
      new Blob(['\xff\xd8\xff stolen'], { type: 'text/plain' }),
    ];
    const json = { 'content-type': 'application/json' };
    return [
      ...bodies.map((body) => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body })),
      fetch(url, { method, credentials: 'include', headers: json, body: JSON.stringify(fields) }),
      fetch(url, { method, credentials: 'include', headers: { 'x-http-method-override': method } }),
      fetch(url, { method: 'POST', credentials: 'include', body: new URLSearchParams(fields), keepalive: true }),
    ].map((answer) => answer.catch(() => {}));
  });
  await Promise.all(sent);
}

/** Sends beacons. They have been sent once later requests of this page are answered. */
async function beacons(targets) {
  for (const { url, fields } of targets) navigator.sendBeacon(url, new URLSearchParams(fields));
  for (const { url } of targets) await fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => {});
}

/** Reads by fetch, script, stylesheet, picture and event stream; returns what was readable. */
async function crossSiteReads(urls) {
  const learnt = [];
  for (const url of urls) {
    const answer = await fetch(url, { credentials: 'include' }).then(
      (each) => each.text(),
      () => undefined,
    );
    if (answer !== undefined) learnt.push(`fetch ${url}: ${answer.slice(0, 100)}`);
    for (const make of [
      () => Object.assign(document.createElement('script'), { src: url }),
      () => Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url }),
      () => Object.assign(document.createElement('img'), { src: url }),
    ]) {
      const element = make();
      const loads = new Promise((resolve) => {
        element.addEventListener('load', () => resolve(true));
        element.addEventListener('error', () => resolve(false));
      });
      document.head.append(element);
      if (await loads) learnt.push(`${element.tagName} ${url}`);
    }
  }
  const stream = new EventSource(urls[0].replace('/api/tasks', '/api/tasks/stream'), { withCredentials: true });
  const heard = await new Promise((resolve) => {
    stream.addEventListener('open', () => resolve(true));
    stream.addEventListener('error', () => resolve(false));
  });
  stream.close();
  if (heard) learnt.push('stream');
  return learnt;
}

/** Loads the product's pages in frames; returns those that were shown. */
async function frames(urls) {
  const shown = [];
  for (const url of urls.filter((each) => !each.includes('/api/'))) {
    const frame = document.createElement('iframe');
    frame.src = url;
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    document.body.append(frame);
    await loaded;
    if (frame.contentDocument !== null || frame.contentWindow.length > 0) shown.push(url);
    frame.remove();
  }
  return shown;
}

globalThis.attacks = { forms, sandboxedForms, fetches, beacons, crossSiteReads, frames };
