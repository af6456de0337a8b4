import { expect, test } from 'vitest'
import { takenNames } from './unique-names.ts'

const others = [{ name: 'Prénom' }, { name: 'ΛΟΓΟΣ' }]

test('a name is taken in every spelling that the server treats as equal', () => {
  const taken = takenNames(others, null)
  expect(taken).toEqual(new Set(['prénom', 'λογοσ']))
})

test('an item may keep its name, even if another item of an earlier release has the same', () => {
  expect(takenNames(others, 'Pre\u0301NOM')).toEqual(new Set(['λογοσ']))
})
