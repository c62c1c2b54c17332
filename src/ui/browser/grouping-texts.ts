/** The title of the page for folders and archives. */
export const batchLink = { en: 'Many files', ru: 'Много файлов' };

export const groupingMessages = {
  title: { en: 'Project and tags', ru: 'Проект и метки' },
  project: { en: 'Project', ru: 'Проект' },
  tags: { en: 'Tags', ru: 'Метки' },
  tagsHint: { en: 'Tags, separated by commas', ru: 'Метки через запятую' },
};
