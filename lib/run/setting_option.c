#include "run/setting_option.h"

int setting_option(struct settings *settings, const struct options *options)
{
    size_t i = 0;
    uint64_t whole;
    while (settings_known[i].letter != options->letter)
        i++;
    const struct setting *setting = &settings_known[i];
    double *value = &settings->value[i];
    settings->set[i] = true;
    switch (setting->form) {
    case FORM_POSITIVE:
        return options_positive(options, value);
    case FORM_WHOLE:
        if (options_whole(options, setting->least, setting->most, &whole) < 0)
            return -1;
        *value = (double)whole;
        return 0;
    case FORM_WORD:
        return (*value = options_word(options) + 1) > 0 ? 0 : -1;
    default:
        *value = 1;
        return 0;
    }
}
