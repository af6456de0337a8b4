import type { Offer } from '@portico/contract/contacts'
import writeExcelFile from 'write-excel-file/node'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, chooseFile, detailsOf, openNewImport, openStep, rowOf } from '../screens.ts'

let quarry: Account
let ines: Person

test.beforeAll(async () => {
  quarry = await makeAccount('Quarry Stones')
  ines = await makePerson('Ines', { accounts: [quarry] })
})

/** A typical workbook: the list is on the second sheet. */
async function workbook(): Promise<Buffer> {
  const header = ['Name', 'Joined', 'Paid', 'Member', 'ZIP'].map((value) => ({ value, fontWeight: 'bold' as const }))
  const joined = { value: new Date(Date.UTC(2024, 0, 31)), type: Date, format: 'm/d/yyyy' }
  const row = [{ value: 'Zoë, Łódź' }, joined, { value: 1250.5, format: '$#,##0.00' }, { value: true }]
  return writeExcelFile([
    { sheet: 'Notes', data: [[{ value: 'Our customers of spring' }]] },
    { sheet: 'Customers', data: [header, [...row, { value: 1234, format: '00000' }]] },
  ]).toBuffer()
}

test('a workbook is imported with its sheet, preview and values', async ({ page }) => {
  await signIn(page, ines)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'customers.xlsx', await workbook())
  await expect(dialog.getByRole('combobox', { name: 'File Delimiter' })).toBeHidden()
  await choose(page, dialog.getByRole('combobox', { name: 'Sheet' }), 'Customers')
  await expect(dialog.getByText('5 columns: Name, Joined, Paid, Member, ZIP')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Spring customers')
  await expectAccessible(page)
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('row').filter({ hasText: '2024-01-31' })).toContainText('New field')
  await openStep(dialog, 'Options')
  await dialog.getByRole('switch', { name: 'Generate PURL' }).uncheck()
  await dialog.getByRole('switch', { name: 'Cast Types' }).check()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  // Its snackbar may be gone before a busy machine looks at it.
  await expect(dialog).toBeHidden()

  const row = rowOf(page, 'Spring customers')
  await expect(row.getByText('completed')).toBeVisible()
  await row
    .getByRole('button', { name: /Spring customers/ })
    .first()
    .click()
  expect(await detailsOf(page)).toMatchObject({ Sheet: 'Customers', Created: '1' })
  const api = await apiOf(ines, quarry)
  expect(await api.get<Offer[]>('/contact-service/v1/offers?limit=5')).toMatchObject([
    { Name: 'Zoë, Łódź', Joined: '2024-01-31', Paid: 1250.5, Member: true, ZIP: '01234' },
  ])
})
