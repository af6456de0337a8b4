import type { Field, Offer } from '@portico/contract/contacts'
import type { Locator, Page } from '@playwright/test'
import writeExcelFile from 'write-excel-file/node'
import { apiOf } from '../api.ts'
import { expect, makeAccount, makePerson, openScreen, signIn, test } from '../portal.ts'
import { choose, chooseFile, detailsOf, dialogOf, openNewImport, rowOf } from '../screens.ts'

/** Two columns of one name, a blank one, money as text, an empty key and a junk one, and a ZIP that begins with zero. */
const donors: (string | null)[][] = [
  ['Email', 'Gift Total', 'Donor Since', 'Phone', 'Phone', null, 'ZIP', 'Opt In'],
  ['ada@example.com', '$1,250.00', '2008', '+1 312 555 0134', '312 555 0100', 'calls back', '60614', 'Yes'],
  ['bob@example.com', '$2,490.18', '2011', '312-555-0199', null, null, '08001', 'No'],
  ['cai@example.com', 'n/a', 'before 2019', null, null, null, '60201', 'Yes'],
  [null, '$15.00', '2020', null, null, null, '02139', 'No'],
  ['n/a', '$20.00', '2021', null, null, null, '10001', 'Yes'],
]

const workbook = (): Promise<Buffer> =>
  writeExcelFile([
    { sheet: 'Donors', data: donors.map((row) => row.map((value) => (value === null ? null : { value }))) },
  ]).toBuffer()

const mostClicks = 35
/** To open the browser's own list and to choose from it, which no event of the page shows. */
const clicksOfList = 2

/** Counts the clicks of the mouse from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const { dataset } = document.documentElement
    dataset['clicks'] = '0'
    document.addEventListener('pointerdown', () => (dataset['clicks'] = String(Number(dataset['clicks']) + 1)), true)
  })
  return () => page.evaluate(() => Number(document.documentElement.dataset['clicks']))
}

/** Clicks Next, and waits until the step is shown. */
async function goOn(dialog: Locator, step: string): Promise<void> {
  await dialog.getByRole('button', { name: 'Next' }).click()
  await expect(dialog.getByRole('heading', { name: step })).toBeVisible()
}

const rowsOf = (dialog: Locator, table: string): Locator => dialog.getByRole('table', { name: table }).getByRole('row')

test('a workbook with faults is matched, reviewed, loaded, mended, taken back and loaded again in few clicks', async ({
  page,
}) => {
  const account = await makeAccount('Harbour Donors')
  const person = await makePerson('Tove', { accounts: [account] })
  const api = await apiOf(person, account)
  await signIn(page, person)
  const clicks = await countClicks(page)

  await test.step('match', async () => {
    await openScreen(page, 'Imports')
    const dialog = await openNewImport(page)
    await chooseFile(page, dialog, 'donors.xlsx', await workbook())
    await page.keyboard.type('Donors of spring')
    await goOn(dialog, 'Step 2 of 4: Match')
    await expect(dialog.getByText('Column 5: Phone → Phone (2)')).toBeVisible()
    await expect(dialog.getByText('Column 6: blank → Column 6')).toBeVisible()
    await dialog.getByRole('button', { name: 'Use these names' }).click()
    await expect(dialog.getByText('Fields: 8 new. Types as in the whole file.')).toBeVisible()
    await dialog.getByRole('combobox', { name: 'Type of Gift Total' }).selectOption('number')
    const gift = rowsOf(dialog, 'File columns').filter({ hasText: 'Gift Total' })
    await expect(gift).toContainText('$2,490.18 → 2490.18')
    await expect(gift).toContainText('1 cell does not fit: n/a')
    await expect(dialog.getByRole('combobox', { name: 'Type of Opt In' })).toHaveValue('boolean')
    await expect(dialog.getByRole('combobox', { name: 'Type of ZIP' })).toHaveValue('string')
  })

  await test.step('review and load', async () => {
    const dialog = dialogOf(page, 'New Import')
    await goOn(dialog, 'Step 3 of 4: Options')
    for (const name of ['PURL Columns', 'Dedup Columns']) {
      await dialog.getByRole('tab', { name }).click()
      await dialog.getByRole('combobox', { name }).click()
      await page.keyboard.type('Email')
      await page.keyboard.press('Enter')
    }
    await goOn(dialog, 'Review of donors.xlsx')
    await expect(
      dialog.getByText('Of 5 rows, 5 create a contact. 1 cell that does not fit its field is left out.'),
    ).toBeVisible()
    await expect(rowsOf(dialog, 'Contacts to create').filter({ hasText: 'bob@example.com' })).toContainText('08001')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await expect(dialog).toBeHidden()
    const row = rowOf(page, 'Donors of spring')
    await expect(row.getByText('completed').first()).toBeVisible({ timeout: 60_000 })
    await expect(row.getByText('1 cell set aside')).toBeVisible()
    expect(await giftTotals()).toEqual([15, 20, 1250, 2490.18])
  })

  await test.step('change the type of a field', async () => {
    await page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name: 'Fields' }).click()
    await page.getByRole('button', { name: 'Change the type of Donor Since' }).click()
    const dialog = dialogOf(page, 'Change the type of Donor Since')
    await choose(page, dialog.getByRole('combobox', { name: 'New Type' }), 'Number')
    await expect(dialog.getByText('4 of 5 values convert.')).toBeVisible()
    await expect(dialog.getByText('1 contact will have no value')).toBeVisible()
    await dialog.getByRole('button', { name: 'Change Type' }).click()
    await expect(rowOf(page, 'Donor Since').getByRole('cell', { name: 'Number', exact: true })).toBeVisible()
    await expect.poll(async () => (await fieldTypes())['Donor Since']).toBe('number')
  })

  await test.step('mend a contact', async () => {
    await openScreen(page, 'Search & Analyze')
    await expect(page.getByText('5 contacts')).toBeVisible()
    await page.getByRole('button', { name: 'Expand cai@example.com' }).click()
    await page.getByRole('link', { name: 'Contact page' }).click()
    const fields = page.getByRole('region', { name: 'Fields' })
    await fields.getByRole('button', { name: 'Edit Gift Total' }).click()
    await page.keyboard.type('75.5')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: 'Changes' }).getByText(': no value → 75.5')).toBeVisible()
    expect(await giftTotals()).toEqual([15, 20, 75.5, 1250, 2490.18])
  })

  await test.step('take the import back', async () => {
    await openScreen(page, 'Imports')
    await page.getByRole('button', { name: 'Actions for Donors of spring' }).click()
    await page.getByRole('menuitem', { name: 'Undo import' }).click()
    const question = dialogOf(page, 'Undo import')
    await expect(question.getByText('4 contacts that it created will be deleted.')).toBeVisible()
    await question.getByRole('button', { name: 'Yes, undo it' }).click()
    const row = rowOf(page, 'Donors of spring')
    await expect(row.getByText('taken back', { exact: true })).toBeVisible({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Expand Donors of spring' }).click()
    await expect.poll(() => detailsOf(page)).toMatchObject({ 'Contacts Deleted': '4', 'Contacts Kept': '1' })
    expect(await giftTotals()).toEqual([75.5])
  })

  await test.step('load again', async () => {
    const dialog = await openNewImport(page)
    await chooseFile(page, dialog, 'donors.xlsx', await workbook())
    await page.keyboard.type('Donors of spring, again')
    await goOn(dialog, 'Step 2 of 4: Match')
    await expect(dialog.getByText(/Read as for the import 'Donors of spring'/)).toBeVisible()
    const gift = rowsOf(dialog, 'File columns').filter({ hasText: 'Gift Total' })
    await expect(gift).toContainText('$2,490.18 → 2490.18')
    await goOn(dialog, 'Step 3 of 4: Options')
    await goOn(dialog, 'Review of donors.xlsx')
    await expect(dialog.getByText(/^Of 5 rows, 4 create a contact/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Submit' }).click()
    const row = rowOf(page, 'Donors of spring, again')
    await expect(row.getByText('completed').first()).toBeVisible({ timeout: 60_000 })
    expect(await giftTotals()).toEqual([15, 20, 75.5, 1250, 2490.18])
  })

  expect((await clicks()) + clicksOfList, 'clicks').toBeLessThanOrEqual(mostClicks)

  async function giftTotals(): Promise<number[]> {
    const contacts = await api.get<Offer[]>('/contact-service/v1/offers?limit=9')
    const totals = contacts.flatMap((contact) => contact['Gift Total'] ?? []).map(Number)
    return totals.toSorted((one, other) => one - other)
  }
  async function fieldTypes(): Promise<Record<string, string>> {
    const fields = await api.get<Field[]>('/contact-service/v1/fields')
    return Object.fromEntries(fields.map(({ name, type }) => [name, type]))
  }
})
