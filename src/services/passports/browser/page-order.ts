import type { PageImage, PageImageRotated, PageImages, PageImagesUploaded } from '../../../client/wire/passports.ts';
import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { readGroupingInputs, requireValidTags } from '../../../ui/browser/grouping.ts';
import { request } from '../../../ui/browser/requests.ts';
import type { ListPage } from './list-texts.ts';
import { rejections, sendFiles } from './uploads.ts';

export function createPageOrder(
  { texts, hasSession, maxImages }: ListPage,
  attempt: (act: () => Promise<unknown>) => void,
  refresh: () => Promise<void>,
) {
  const [panel, list, createButton] = [
    byId('page-order'),
    byId('page-images'),
    byId<HTMLButtonElement>('create-document'),
  ];
  let dragged: HTMLElement | undefined;
  /** The number of photos. */
  let uploading = 0;
  /** Creating a document removes the stored photos, so it and uploads exclude each other. */
  let creation: Promise<void> | undefined;

  const items = () => [...list.children] as HTMLElement[];
  const find = <T extends Element>(item: Element, selector: string) => item.querySelector<T>(selector)!;

  function renumber(): void {
    for (const [i, item] of items().entries()) {
      const name = fill(texts.pageName, { page: i + 1, name: item.dataset['name'] ?? '' });
      find(item, '.caption').textContent = name;
      find<HTMLImageElement>(item, 'img').alt = name;
    }
    panel.hidden = items().length === 0;
    createButton.disabled = uploading > 0 || creation !== undefined;
    createButton.textContent = fill(texts.createDocument, { count: items().length });
  }

  function show({ image_id: id, filename, rotation }: PageImage): void {
    const item = byId<HTMLTemplateElement>('page-image').content.cloneNode(true) as DocumentFragment;
    const li = item.querySelector('li')!;
    li.dataset['id'] = id;
    li.dataset['name'] = filename;
    showPicture(li, rotation);
    find(li, '.turn').addEventListener('click', () => attempt(() => rotate(li)));
    find(li, '.remove').addEventListener('click', () => attempt(() => remove(li)));
    find(li, '.earlier').addEventListener('click', (event) => move(li, -1, event.currentTarget));
    find(li, '.later').addEventListener('click', (event) => move(li, 1, event.currentTarget));
    list.append(item);
  }

  /** The rotation in the URL bypasses the cache. */
  function showPicture(item: HTMLElement, rotation: number): void {
    find<HTMLImageElement>(item, 'img').src = `api/v1/image/${item.dataset['id']}?w=256&rotation=${rotation}`;
  }

  async function rotate(item: HTMLElement): Promise<void> {
    const { rotation } = await request<PageImageRotated>(`api/v1/rotate-image/${item.dataset['id']}`, {
      method: 'POST',
    });
    showPicture(item, rotation);
  }

  async function remove(item: HTMLElement): Promise<void> {
    await request(`api/v1/image/${item.dataset['id']}`, { method: 'DELETE' });
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    renumber();
    next?.querySelector<HTMLElement>('.remove')?.focus();
  }

  function move(item: HTMLElement, by: number, focused: EventTarget | null): void {
    const at = items().indexOf(item) + by;
    if (at < 0 || at >= items().length) return;
    if (by < 0) items()[at]!.before(item);
    else items()[at]!.after(item);
    renumber();
    (focused as HTMLElement | null)?.focus();
    announce(fill(texts.moved, { name: item.dataset['name'] ?? '', page: at + 1 }));
  }

  list.addEventListener('dragstart', (event) => {
    dragged = (event.target as HTMLElement).closest('li') ?? undefined;
    event.dataTransfer!.effectAllowed = 'move';
  });
  list.addEventListener('dragover', (event) => {
    const over = (event.target as HTMLElement).closest('li');
    if (dragged === undefined) return;
    event.preventDefault();
    if (over === null || over === dragged) return;
    if (items().indexOf(over) < items().indexOf(dragged)) over.before(dragged);
    else over.after(dragged);
  });
  list.addEventListener('dragend', () => {
    dragged = undefined;
    renumber();
  });

  createButton.addEventListener('click', () =>
    attempt(async () => {
      requireValidTags();
      creation = create();
      renumber();
      try {
        await creation;
      } finally {
        creation = undefined;
        renumber();
      }
      await refresh();
    }),
  );

  async function create(): Promise<void> {
    const sent = items();
    await request('api/v1/create-pdf', {
      method: 'POST',
      body: JSON.stringify({ image_ids: sent.map((item) => item.dataset['id']), ...readGroupingInputs() }),
      headers: { 'content-type': 'application/json' },
    });
    for (const item of sent) item.remove();
  }

  async function load(): Promise<void> {
    const { images } = await request<PageImages>('api/v1/images');
    for (const image of images) show(image);
    renumber();
  }
  if (hasSession) attempt(load);

  return {
    async add(files: readonly File[]): Promise<void> {
      const itemsOf = ({ images }: PageImagesUploaded) => images;
      while (creation !== undefined) await creation.catch(() => {});
      if (items().length + uploading + files.length > maxImages)
        throw new Error(fill(texts.tooManyPages, { limit: maxImages }));
      uploading += files.length;
      try {
        renumber();
        const { accepted, rejected } = await sendFiles('api/v1/upload-images', files, { itemsOf, texts });
        if (!hasSession) await refresh();
        for (const image of accepted) show(image);
        if (rejected.length > 0) throw new Error(rejections(rejected, texts).join(' '));
      } finally {
        uploading -= files.length;
        renumber();
      }
    },
  };
}
