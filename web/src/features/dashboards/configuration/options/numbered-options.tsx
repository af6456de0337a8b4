import { ActionIcon, Button, Input, SimpleGrid, Stack } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { OptionControl, type OptionControlProps } from './option-control.tsx'
import type { NumberedField } from './option-fields.ts'
import { freeNumber, numberedEntries, valueAt, withValue } from './option-values.ts'
import css from './options.module.css'

type NumberedOptionsProps = Omit<OptionControlProps, 'field'> & { field: NumberedField }

const titles = { axis: 'Axis', series: 'Series' }

/** Options of single series or axes. Google counts them from 0, as the JSON does. */
export function NumberedOptions({ field, options, onChange, problemOf }: NumberedOptionsProps) {
  const { path, label, hint, control } = field
  const entries = numberedEntries(valueAt(options, path))
  const free = freeNumber(entries)
  const write = (next: [string, unknown][]): void =>
    onChange(withValue(options, path, next.length === 0 ? undefined : Object.fromEntries(next)))
  return (
    <Input.Wrapper
      className={css['whole'] ?? ''}
      label={label}
      description={hint}
      error={problemOf(path)}
      labelElement="div"
    >
      <Stack gap="xs" mt={6}>
        {entries.map(([number]) => {
          const title = `${titles[control.noun]} ${number}`
          return (
            <fieldset key={number} className={css['entry']}>
              <legend>{title}</legend>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
                {control.fields.map((own) => (
                  <OptionControl
                    key={own.path.join('.')}
                    field={{ ...own, path: [...path, number, ...own.path] }}
                    options={options}
                    onChange={onChange}
                    problemOf={problemOf}
                  />
                ))}
              </SimpleGrid>
              <ActionIcon
                className={css['remove'] ?? ''}
                size={26}
                aria-label={`Remove ${title}`}
                title="Remove"
                onClick={() => write(entries.filter(([other]) => other !== number))}
              >
                <IconTrash size={15} aria-hidden />
              </ActionIcon>
            </fieldset>
          )
        })}
        {entries.length < control.most && (
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => write([...entries, [free, {}]])}
            >
              {`Add options of ${control.noun} ${free}`}
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  )
}
