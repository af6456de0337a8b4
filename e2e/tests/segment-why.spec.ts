import { expectAccessible, expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { expect, makeAccount, makePerson, signIn, test } from '../portal.ts'
import { expectNoSideScroll } from '../screens.ts'

const file = ['Email,City,Age,Club', 'ada@why.example,Chicago,30,Oars', 'bob@why.example,Boston,,Oars', ''].join('\n')

test('a contact is explained condition by condition, within a segment too, by keyboard and on a phone', async ({
  page,
}) => {
  const account = await makeAccount('Reason Rowing')
  const person = await makePerson('Renata', { accounts: [account] })
  const api = await apiOf(person, account)
  await api.importFile('Rowers', file, { typeCasting: true })
  const save = (name: string, stages: object[]) =>
    api.post<{ _id: string }>('/contact-service/v1/rdls', { name, aggregateQuery: JSON.stringify(stages) })
  const grown = await save('Grown-ups', [{ $match: { Age: { $gte: 18 } } }])
  const bought = { events: { $elemMatch: { event_code: 'buy' } } }
  const city = { $or: [{ City: 'Chicago' }, { City: { $regex: '^Mil', $options: 'i' } }] }
  const rowers = await save('Lake rowers', [{ $match: { ...city, ...bought } }, { $predefined: grown._id }])
  const [ada] = await api.get<{ _id: string }[]>(
    `/contact-service/v1/offers?find=${encodeURIComponent('[{"$match":{"City":"Chicago"}}]')}`,
  )
  const event = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z' }
  await api.post(`/contact-service/v1/offers/${ada?._id}/events`, event)

  await signIn(page, person, undefined, `/contact-service/segments/${rowers._id}`)
  const why = page.getByRole('region', { name: 'Why Is Someone In or Out?' })
  await expect(why.getByRole('combobox', { name: 'Find by' })).toHaveValue('Email')
  await why.getByRole('textbox', { name: 'Value' }).fill('missing@why.example')
  await page.keyboard.press('Enter')
  await expect(why.getByText('No contact has this value.')).toBeVisible()
  await why.getByRole('textbox', { name: 'Value' }).fill('ADA@why.example')
  await page.keyboard.press('Enter')

  const answer = why.getByRole('status')
  await expect(answer).toHaveText('ada@why.example Chicago is in this segment.')
  const conditions = why.getByRole('list', { name: 'Conditions' })
  const item = (text: string) =>
    conditions
      .getByRole('listitem')
      .filter({ has: page.getByText(text, { exact: true }) })
      .last()
  await expect(item('City is “Chicago”')).toHaveText('MeetsCity is “Chicago”Its City is Chicago')
  await expect(item('City starts with “Mil”')).toContainText('Does not meet')
  await expect(conditions.getByText('At least one of these')).toBeVisible()
  await expect(item('With an event whose event_code is “buy”')).toContainText('Its only event, on 5/6/2026')
  await expect(item('Grown-ups')).toHaveText('MeetsIn the segment Grown-ups')
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  // Of several contacts with a value, one is chosen.
  await why.getByRole('combobox', { name: 'Find by' }).click()
  await page.getByRole('option', { name: 'Club' }).click()
  await why.getByRole('textbox', { name: 'Value' }).fill('oars')
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  const found = why.getByRole('list', { name: 'Contacts found' }).getByRole('listitem').filter({ hasText: 'bob@' })
  await found.getByRole('button', { name: /^Explain contact/ }).press('Enter')
  await expect(answer).toHaveText('bob@why.example Boston is not in this segment.')
  await expect(item('With an event whose event_code is “buy”')).toContainText('It has no events')
  await conditions.getByRole('link', { name: 'Grown-ups' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Grown-ups' })).toBeVisible()
  await expect(answer).toHaveText('bob@why.example Boston is not in this segment.')
  await expect(item('Age is at least 18')).toHaveText('Does not meetAge is at least 18Its Age has no value')
  // The address keeps the contact.
  await page.reload()
  await expect(answer).toHaveText('bob@why.example Boston is not in this segment.')
})
