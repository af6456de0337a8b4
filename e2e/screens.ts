import type { Locator, Page } from '@playwright/test'
import { expect } from './portal.ts'

/** The dialog with the title. */
export const dialogOf = (page: Page, title: string): Locator => page.getByRole('dialog', { name: title })

/** Waits until nothing is wider than the window, as a closing list or menu may be. Tables scroll within themselves. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(tooWide), { message: 'what is wider than the window', timeout: 5000 })
    .toEqual([])
}

/** Runs in the browser: the elements that make the page scroll sideways. */
function tooWide(): string[] {
  if (document.documentElement.scrollWidth <= window.innerWidth) return []
  return Array.from(document.querySelectorAll('html, html *'))
    .filter((element) => Math.max(element.getBoundingClientRect().right, element.scrollWidth) > window.innerWidth)
    .map((element) => element.outerHTML.slice(0, 120))
}

export async function openNewImport(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'NEW IMPORT' }).click()
  const dialog = dialogOf(page, 'New Import')
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toBeVisible()
  return dialog
}

const importSteps = ['File', 'Match', 'Options', 'Review'] as const

/** The button of a step of the New Import dialog. */
export const stepButton = (dialog: Locator, step: (typeof importSteps)[number]): Locator =>
  dialog.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: step })

/** Opens a step of the New Import dialog: by its button or, if it was not reached yet, by Next. */
export async function openStep(dialog: Locator, step: (typeof importSteps)[number]): Promise<void> {
  for (const one of importSteps) {
    // While the file is being sent, no step can be opened.
    await expect(dialog.getByRole('button', { name: 'Cancel', exact: true })).toBeVisible()
    if (await stepButton(dialog, step).isEnabled()) break
    if (await stepButton(dialog, one).isEnabled()) await stepButton(dialog, one).click()
    else await dialog.getByRole('button', { name: 'Next' }).click()
    await expect(stepButton(dialog, one)).toHaveAttribute('aria-current', 'step')
  }
  // A step that Next has opened keeps the focus in it.
  if ((await stepButton(dialog, step).getAttribute('aria-current')) === null) await stepButton(dialog, step).click()
  await expect(stepButton(dialog, step)).toHaveAttribute('aria-current', 'step')
}

/** Selects the file of a new import by the button. */
export async function chooseFile(page: Page, dialog: Locator, name: string, content: string | Buffer): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: /^Choose a(nother| file)$/ }).click(),
  ])
  await chooser.setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
  await expect(dialog.getByText(name, { exact: true })).toBeVisible()
}

/** Fills a list of column names on a tab of the options, one after the other. */
export async function chooseColumns(dialog: Locator, tab: string, names: readonly string[]): Promise<void> {
  await openStep(dialog, 'Options')
  await dialog.getByRole('tab', { name: tab }).click()
  const input = dialog.getByRole('combobox', { name: tab })
  for (const name of names) {
    await input.fill(name)
    await input.press('Enter')
  }
}

/** Chooses an option of a select. */
export async function choose(page: Page, select: Locator, option: string): Promise<void> {
  await select.click()
  await page.getByRole('option', { name: option, exact: true }).click()
  await expect(select).toHaveValue(option)
}

/** The row of a table whose header is the name. */
export const rowOf = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })

/** Returns the texts of a column on the current page of a table; empty if there is no such column. */
export async function columnOf(table: Locator, title: string): Promise<string[]> {
  // In one call, because rows may be replaced at any moment.
  const rows = await table
    .getByRole('row')
    .evaluateAll((all) => all.map(({ children }) => Array.from(children, (cell) => cell.textContent.trim())))
  const [titles = [], ...records] = rows
  // The details of an expanded row are one cell.
  return records.filter(({ length }) => length === titles.length).map((cells) => cells[titles.indexOf(title)] ?? '')
}

/** Returns the names and values in an expanded row. */
export async function detailsOf(opened: Page | Locator): Promise<Record<string, string>> {
  const terms = await opened.getByRole('term').allInnerTexts()
  const values = await opened.getByRole('definition').allInnerTexts()
  return Object.fromEntries(terms.map((term, index) => [term, values[index] ?? '']))
}

/** The toast. */
export const snackbar = (page: Page, message: string): Locator =>
  page.getByRole('region', { name: 'Notifications' }).getByText(message, { exact: true })
