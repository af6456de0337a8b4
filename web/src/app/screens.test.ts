import { expect, test } from 'vitest'
import { paths } from '#lib/paths.ts'
import { areas, screenPath } from './screens.ts'

test('links between screens lead to screens of the table', () => {
  const known = areas.flatMap((area) => [area.path, ...(area.screens ?? []).map((screen) => screenPath(area, screen))])
  const { entry, register, forgotPassword, resetPassword, confirmSender, profile, contact, module, ...rest } = paths
  const { iamScreen, person, segment, ...screens } = rest
  const linked = Object.values(screens).map((path) => path())
  expect(linked.filter((path) => !known.includes(path))).toEqual([])
  expect(known).toEqual(expect.arrayContaining([module('crm'), iamScreen('groups')]))
  expect(contact('17')).toBe(`${paths.contacts()}/17`)
  expect(person('17')).toBe(`${paths.people()}/17`)
  expect(segment('17')).toBe(`${paths.segments()}/17`)
  // Screens outside the areas: `app/routes.tsx` has their routes.
  const others = [entry, register, forgotPassword, resetPassword, confirmSender, profile]
  expect(known.filter((path) => others.some((other) => other() === path))).toEqual([])
})
