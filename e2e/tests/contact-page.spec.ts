import type { Import } from '@portico/contract/imports'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile, csvLine } from '../contact-file.ts'
import { recordEvents } from '../database.ts'
import { type Account, expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { detailsOf, expectNoSideScroll } from '../screens.ts'

const people = contacts(20)
// The first import sets these for later ones.
const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }

let account: Account
let oskar: Person
let imported: Import

test.beforeAll(async () => {
  account = await makeAccount('Walnut Bikes')
  oskar = await makePerson('Oskar', { accounts: [account] })
  const api = await apiOf(oskar, account)
  imported = await api.importFile('Spring leads', csvFile(people), keys)
  // A contact in a second file keeps its origin.
  await api.importFile('Autumn leads', csvFile([...people.slice(4, 5), ...contacts(21).slice(20)]), keys)
})

test('the page of a contact shows its fields, PURL, origin and events', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const api = await apiOf(oskar, account)
  const offers = await api.get<{ _id: string; Email: string }[]>('/contact-service/v1/offers')
  const fifth = offers.find(({ Email }) => Email === 'person.5@example.com')
  await recordEvents(imported.databaseName, fifth?._id ?? '', [
    { code: 'visit', date: '2026-03-10T15:30:00Z', path: '/spring', browser: 'Firefox' },
    { code: 'click', date: '2026-04-01T12:00:00Z', path: '/buy' },
    { code: 'visit', date: '2026-04-01T11:00:00Z' },
  ])
  await signIn(page, oskar)
  await openScreen(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Expand Carmen Müller' }).click()
  await page.getByRole('link', { name: 'Contact page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Carmen Müller' })).toBeVisible()
  await expect(page).toHaveTitle(/^Carmen Müller/)
  const region = (name: string) => page.getByRole('region', { name })
  await expect.poll(() => detailsOf(region('Fields'))).toMatchObject({ Email: 'person.5@example.com', Member: 'False' })
  await expect
    .poll(() => detailsOf(region('Origin')))
    .toMatchObject({
      Import: 'Spring leads',
      File: 'Spring leads.csv',
      // The note of the third contact has two lines.
      'File Line': '7',
      'Imported By': oskar.email,
    })
  await expect.poll(() => detailsOf(region('PURL'))).toMatchObject({ PURL: 'carmenmuller', Number: '1' })
  await region('PURL').getByRole('button', { name: 'Copy the PURL' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('carmenmuller')

  const events = region('Events').getByRole('listitem')
  // In the account's time zone, latest first.
  await expect(events).toContainText([
    '4/1/2026',
    /click.*12:00:00 PM/,
    /visit.*11:00:00 AM/,
    '3/10/2026',
    /visit.*3:30:00 PM/,
  ])
  await region('Events').getByRole('button', { name: 'Details of visit at 3:30:00 PM' }).click()
  await expect.poll(() => detailsOf(region('Events'))).toEqual({ browser: 'Firefox' })
  await expectAccessible(page)

  await region('Origin').getByRole('link', { name: 'Spring leads' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await page.goBack()
  // Its address is shown as the link.
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Carmen Müller' })).toBeVisible()
  await page.getByRole('link', { name: 'Search & Analyze' }).last().click()
  await expect(page.getByText('21 contacts', { exact: true })).toBeVisible()
})

test('the origin shows the line of the file, even after rows set aside', async ({ page }) => {
  const api = await apiOf(oskar, account)
  const [last] = contacts(31).slice(30)
  if (!last) throw new Error('no contact')
  const [head, row] = csvFile([last]).split('\n')
  await api.importFile('Late leads', `${head}\n${csvLine(['Too', 'few'])}${row}\n`, keys)
  const offers = await api.get<{ _id: string; Email: string }[]>('/contact-service/v1/offers')
  const made = offers.find(({ Email }) => Email === last.Email)
  await signIn(page, oskar, undefined, `/contact-service/documents/${made?._id}`)
  await expect
    .poll(() => detailsOf(page.getByRole('region', { name: 'Origin' })))
    .toMatchObject({ Import: 'Late leads', 'File Line': '3' })
})

test('a contact that does not exist, or is in another account, is not shown', async ({ page, trouble }) => {
  trouble.expect('404 GET /api/contact-service/v1/offers/999999999999')
  await signIn(page, oskar, undefined, '/contact-service/documents/999999999999')
  await expect(page.getByText('This contact is not available.')).toBeVisible()
  await expectAccessible(page)
})

test('a contact fits a narrow window', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const api = await apiOf(oskar, account)
  const [first] = await api.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1')
  await signIn(page, oskar, undefined, `/contact-service/documents/${first?._id}`)
  await expect(page.getByRole('region', { name: 'Origin' })).toBeVisible()
  await expectNoSideScroll(page)
})
