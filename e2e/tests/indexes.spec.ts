import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

let account: Account
let hugo: Person

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  account = await makeAccount('Basalt Hotels')
  hugo = await makePerson('Hugo', { accounts: [account] })
  const api = await apiOf(hugo, account)
  await api.importFile('Spring leads', csvFile(contacts(60)))
})

const place = '/contact-service/indexes'

test('internal indexes are marked and cannot be deleted; REFRESH is locked for a minute', async ({ page }) => {
  await signIn(page, hugo, undefined, place)
  await expect(page.getByRole('columnheader')).toHaveText([
    'Name',
    'Field Name 1',
    'Sort Order 1',
    'Field Name 2',
    'Sort Order 2',
    'Is Unique?',
    'State',
    'Size',
    'Uses',
    'Actions',
  ])
  const purl = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /^purl/ }) })
  await expect(purl).toContainText('internal')
  await expect(purl.getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^in \d+ sec$/ })).toBeDisabled()
  // Four rows need no footer.
  await expect(page.getByLabel('Records per page')).toBeHidden()
  await expectAccessible(page)
})

test('an index is created, named after its fields until the name is edited', async ({ page }) => {
  await signIn(page, hugo, undefined, place)
  await page.getByRole('button', { name: 'NEW INDEX' }).click()
  const dialog = dialogOf(page, 'Create a New Index')
  const name = dialog.getByRole('textbox', { name: 'Index Name' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Field Name 1' })).toHaveAccessibleDescription('Value is required!')
  await choose(page, dialog.getByRole('combobox', { name: 'Field Name 1' }), 'City')
  await expect(name).toHaveValue('City_-1')
  await choose(page, dialog.getByRole('combobox', { name: 'Field Name 2' }), 'Score')
  await choose(page, dialog.getByRole('combobox', { name: 'Sort Order 2' }), 'Ascending (1)')
  await expect(name).toHaveValue('City_-1_Score_1')
  await expect(dialog.getByText(/^Takes about .* for 60 contacts\.$/)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(snackbar(page, "'City_-1_Score_1' index is being created...")).toBeVisible()
  const row = rowOf(page, 'City_-1_Score_1')
  await expect(row.getByText('ready')).toBeVisible({ timeout: 60_000 })
  await expect(row.getByRole('cell')).toHaveText(['City', '-1', 'Score', '1', 'False', 'ready', /B$/, '0', ''])
  await expect(page.getByText('5 indexes', { exact: true })).toBeVisible()
})

test('a field already indexed with a second one requires a different second field and a unique name', async ({
  page,
}) => {
  await signIn(page, hugo, undefined, `${place}?size=20`)
  await page.getByRole('button', { name: 'NEW INDEX' }).click()
  const dialog = dialogOf(page, 'Create a New Index')
  const second = dialog.getByRole('combobox', { name: 'Field Name 2' })
  await choose(page, dialog.getByRole('combobox', { name: 'Field Name 1' }), 'City')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(second).toHaveAccessibleDescription('Value is required!')
  await second.click()
  await expect(page.getByRole('option', { name: 'Note' })).toBeVisible()
  await expect(page.getByRole('option', { name: /^(City|Score)$/ })).toHaveCount(0)
  await page.getByRole('option', { name: 'Note' }).click()
  const name = dialog.getByRole('textbox', { name: 'Index Name' })
  await name.fill('city_-1_score_1')
  await expect(name).toHaveAccessibleDescription('Value is duplicate!')
  await name.fill('City and note')
  await choose(page, dialog.getByRole('combobox', { name: 'Sort Order 1' }), 'Ascending (1)')
  await expect(name).toHaveValue('City and note')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(rowOf(page, 'City and note').getByText('ready')).toBeVisible({ timeout: 60_000 })
})

test('a unique index over duplicates fails and shows the reason', async ({ page }) => {
  await signIn(page, hugo, undefined, place)
  await page.getByRole('button', { name: 'NEW INDEX' }).click()
  const dialog = dialogOf(page, 'Create a New Index')
  await choose(page, dialog.getByRole('combobox', { name: 'Field Name 1' }), 'Member')
  await dialog.getByRole('switch', { name: 'Is Unique' }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const row = rowOf(page, 'Member_-1')
  // More than five rows need several pages.
  await page.getByLabel('Records per page').selectOption('10')
  await expect(row.getByText('failed')).toBeVisible({ timeout: 60_000 })
  await expect(row).toContainText(/more than once|duplicate|same value/i)
})

test('deleting asks for confirmation', async ({ page }) => {
  await signIn(page, hugo, undefined, `${place}?size=20`)
  await page.getByRole('button', { name: 'Delete City and note' }).click()
  const dialog = dialogOf(page, 'Delete index')
  await expect(dialog.getByText("Are you sure to delete 'City and note' index?")).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'No', exact: true }).click()
  await page.getByRole('button', { name: 'Delete City and note' }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(snackbar(page, "'City and note' index is being deleted...")).toBeVisible()
  await expect(rowOf(page, 'City and note')).toBeHidden({ timeout: 60_000 })
})

test.describe('dark and narrow', () => {
  test.use({ colorScheme: 'dark', viewport: { width: 390, height: 844 } })

  test('the list and the dialog fit the screen and are accessible', async ({ page }) => {
    await signIn(page, hugo, undefined, place)
    await expect(page.getByRole('rowheader').first()).toBeVisible()
    await expectNoSideScroll(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'NEW INDEX' }).click()
    await expect(dialogOf(page, 'Create a New Index').getByRole('button', { name: 'Create' })).toBeInViewport()
    await expectNoSideScroll(page)
    await expectAccessible(page)
  })
})
