/** Whether a person has changed a field of the form since the page was loaded. */
export function hasInput(form: HTMLFormElement): boolean {
  return [...form.elements].some((field) => {
    if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
    if (field instanceof HTMLSelectElement)
      return [...field.options].some((one) => one.selected !== one.defaultSelected);
    if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false;
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  });
}

/** The browser asks before the page is left while `forms` have changed fields, except for the form that is sent. */
export function confirmLeaving(forms: () => Iterable<HTMLFormElement>): void {
  let sent: EventTarget | null = null;
  addEventListener('submit', (event) => {
    sent = event.defaultPrevented ? null : event.target;
  });
  addEventListener('beforeunload', (event) => {
    if ([...forms()].some((form) => form !== sent && hasInput(form))) event.preventDefault();
    sent = null;
  });
}
