import type { Offer } from '@portico/contract/contacts'
import { features } from '@portico/contract/features'
import { accessOf } from '../access.ts'
import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { chooseFile, detailsOf, expectNoSideScroll, openNewImport, openStep, rowOf } from '../screens.ts'

let ferry: Account
let nora: Person
let clerk: Person

test.beforeAll(async () => {
  ferry = await makeAccount('Ferry Line')
  nora = await makePerson('Nora', { accounts: [ferry] })
  clerk = await makePerson('Clerk', { accounts: [ferry], mayNothing: true })
  const known = 'Email,Name,Age\nada@example.com,Ada,36\nbob@example.com,Bob,40\n'
  const keys = { generatePURL: true, purlColumns: ['Name'], dedupColumns: ['Email'], typeCasting: true }
  await (await apiOf(nora, ferry)).importFile('Passengers', known, keys)
  const admin = await accessOf(powerAdmin, ferry)
  const policy = await admin.makePolicy('Imports alone', [
    features['contact-import-list'],
    features['contact-imports-create'],
    'contact-service::uploads::get',
  ])
  const group = await admin.makeGroup('Imports alone', [policy])
  await (await accessOf(nora, ferry)).changeGroups(clerk.email, [group])
})

/** One row each that changes a contact, leaves one unchanged, creates one, is set aside, and has no value. */
const passengers = `Email,Name,Age,City
ada@example.com,Ada,37,Oslo
bob@example.com,Bob,40,
cy@example.com,Cy,n/a,Rome
dee@example.com,Dee
,,,
`
const inWords =
  'Of 4 rows, 1 creates a contact, 1 changes a contact, 1 leaves its contact as it is, and 1 is set aside. ' +
  '1 cell that does not fit its field is left out. 1 empty row is skipped.'

const figures = {
  Created: '1',
  Updated: '1',
  Unchanged: '1',
  'Rows Set Aside': '1',
  'Cells Set Aside': '1',
  'Empty Rows Skipped': '1',
}

test('an import is reviewed before anything is written, and then matches the figures of its review', async ({
  page,
}) => {
  await signIn(page, nora)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'passengers.csv', passengers)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('More passengers')
  await openStep(dialog, 'Review')
  await expect(dialog.getByRole('heading', { name: 'Review of passengers.csv' })).toBeFocused()
  await expect(dialog.getByText(inWords)).toBeVisible()
  expect(await detailsOf(dialog)).toEqual(figures)
  const rows = (table: string) => dialog.getByRole('table', { name: table }).getByRole('row')
  await expect(rows('Fields').filter({ hasText: 'City' })).toContainText('New field')
  await expect(rows('Contacts to create').filter({ hasText: 'cy@example.com' })).toContainText('Rome')
  await expect(rows('Contacts to change').filter({ hasText: 'Age' })).toHaveText('ada@example.com AdaAge3637')
  await expect(rows('Rows and cells set aside').filter({ hasText: 'Expected 4 cells, found 2.' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  const api = await apiOf(nora, ferry)
  expect(await api.get<Offer[]>('/contact-service/v1/offers?limit=9')).toHaveLength(2)

  await dialog.getByRole('button', { name: 'Back' }).click()
  await expect(dialog.getByRole('heading', { name: 'Step 3 of 4: Options' })).toBeFocused()
  await openStep(dialog, 'File')
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('More passengers')
  await openStep(dialog, 'Review')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, 'More passengers').getByText('completed').first()).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand More passengers' }).click()
  expect(await detailsOf(page)).toMatchObject(figures)
})

test('on a phone, and without the right to see contacts, the review shows only what the file has', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, clerk)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'newcomers.csv', 'Email,Name\neva@example.com,Eva\n')
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Newcomers')
  await expectNoSideScroll(page)
  await openStep(dialog, 'Review')
  await expect(dialog.getByText('The file has 1 row.')).toBeVisible()
  await expect(dialog.getByText(/is shown only to people who see all contacts/)).toBeVisible()
  await expect(dialog.getByText('eva@example.com')).toBeHidden()
  await expect(dialog.getByRole('button', { name: 'Submit' })).toBeInViewport()
  await expectNoSideScroll(page)
  await expectAccessibleInBothSchemes(page)
})
