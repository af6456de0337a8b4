import type { FieldEntry } from '@portico/contract/fields'
import { addContacts } from './contacts.ts'
import type { Answer, Member, TestPortal } from '#test/kit/portal.ts'

/** Returns a new field of contacts that two people have open at the same time, as read from the list of all fields. */
export async function anEditedField(portal: TestPortal, one: Member, other: Member) {
  const made = `A versioned field ${Math.random()}`
  await addContacts(portal.parts.database, one.account, { [made]: 'string' }, [{ [made]: 'x' }])
  const all = async () => {
    const answer = await one.get('/contact-service/v1/fields/details')
    return { answer, fields: answer.json<FieldEntry[]>() }
  }
  const id = (await all()).fields.find(({ name }) => name === made)?._id
  return {
    one,
    other,
    read: async (): Promise<Answer> => {
      const { answer, fields } = await all()
      const body = fields.find(({ _id }) => _id === id)
      return { ...answer, body, json: <T>() => body as T }
    },
    save: (by: Member, text: string, version: number | undefined) =>
      by.put(`/contact-service/v1/fields/${id}`, { name: `${text} ${id}`, ...(version !== undefined && { version }) }),
    told: { fields: ['name'] },
  }
}
