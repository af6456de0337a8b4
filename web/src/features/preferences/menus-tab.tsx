import { menuNames } from '@portico/contract/preferences'
import { Select, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import css from './menus-tab.module.css'
import { audienceLabels, audiences, menuLabels, type PreferencesValues, takesEmails } from './preferences-rules.ts'

const notes: Partial<Record<(typeof menuNames)[number], string>> = {
  home: 'Home cannot be turned off: the portal opens there.',
  dashboards: "This portal's bar always shows Dashboards; other products of the account follow the list.",
}

/** Visibility of the entries of the portal's bar. */
export function MenusTab({ form }: { form: UseFormReturnType<PreferencesValues> }) {
  return (
    <ul className={css['rows']}>
      {menuNames.map((name) => {
        const label = menuLabels[name]
        const { audience } = form.values.menus[name]
        return (
          <li key={name} className={css['row']}>
            <span className={css['name']}>{label}</span>
            <Select
              aria-label={`Who sees ${label}`}
              data={audiences.map((value) => ({ value, label: audienceLabels[value] }))}
              allowDeselect={false}
              disabled={name === 'home'}
              {...form.getInputProps(`menus.${name}.audience`)}
            />
            {takesEmails(audience) && (
              <TextInput
                aria-label={`E-mails for ${label}`}
                placeholder="ann@example.com,bob@example.com"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps(`menus.${name}.emails`)}
              />
            )}
            {notes[name] !== undefined && (
              <Text size="sm" c="dimmed" className={css['note'] ?? ''}>
                {notes[name]}
              </Text>
            )}
          </li>
        )
      })}
    </ul>
  )
}
