// Baseline for document workers in parallel lanes: PDFium renders pages and reads their characters; Tesseract reads
// page images. Each message names the input; the response is pages per second.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SIZE = { dpi: 137, maxPixels: 1600 ** 2 };

if (process.argv[2] === 'pdfium') await runPdfiumLane();
else {
  const lanes = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const child = fork(fileURLToPath(import.meta.url), ['pdfium']);
      await once(child, 'message');
      return child;
    }),
  );
  process.on('disconnect', () => {
    for (const child of lanes) child.kill();
  });
  process.send({ ready: true });
  process.on('message', async ({ documents, pages, pictures }) => {
    const startedAt = performance.now();
    if (documents) await Promise.all(lanes.map((child, i) => draw(child, documents, i)));
    else await Promise.all(lanes.map((_, i) => recognize(pictures, i)));
    process.send({ perSecond: pages / ((performance.now() - startedAt) / 1000) });
  });

  async function draw(child, documents, from) {
    for (let i = from; i < documents.length; i += lanes.length) {
      child.send({ path: documents[i] });
      await once(child, 'message');
    }
  }

  async function recognize(pictures, from) {
    for (let i = from; i < pictures.length; i += lanes.length) {
      const args = [pictures[i], 'stdout', '-l', 'rus+eng', '--psm', '6', '--dpi', '300', 'tsv'];
      const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
      const [code] = await once(spawn('tesseract', args, { stdio: 'ignore', env }), 'exit');
      if (code !== 0) throw new Error(`Tesseract exited with ${code}.`);
    }
  }
}

async function runPdfiumLane() {
  const { loadPdfium } = await import('../dist/services/passports/model/pages/pdfium.js');
  const { openDocument } = await import('../dist/services/passports/model/pages/pdfium-document.js');
  const { renderPage } = await import('../dist/services/passports/model/pages/pdfium-render.js');
  const pdfium = await loadPdfium({ maxBytes: 2 ** 30 });
  const { call } = pdfium;
  process.send({ ready: true });
  process.on('message', ({ path }) => {
    const document = openDocument(pdfium, { path, maxPages: 200 });
    for (let number = 0; number < document.pages; number++) {
      const page = document.page(number);
      const text = call.FPDFText_LoadPage(page.handle);
      const count = call.FPDFText_CountChars(text);
      for (let index = 0; index < count; index++) call.FPDFText_GetUnicode(text, index);
      call.FPDFText_ClosePage(text);
      renderPage(pdfium, page, SIZE);
    }
    document.close();
    process.send({ done: true });
  });
}
