import { expect, test } from 'vitest'
import { takenNames } from './unique-names.ts'

const others = [{ name: 'Prénom' }, { name: 'ΛΟΓΟΣ' }]

test('names of others are taken in every spelling that the server takes for the same', () => {
  const taken = takenNames(others, null)
  expect(taken).toEqual(new Set(['prénom', 'λογοσ']))
})

test('the own name may stay, also where another item of an earlier release has it', () => {
  expect(takenNames(others, 'Pre\u0301NOM')).toEqual(new Set(['λογοσ']))
})
