package source

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// first is the first argument, if it is known.
func first(args []value) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	return args[0].known()
}

// parsed is Number(s). What is no plain number is some number.
func parsed(s string, known bool) value {
	s = strings.TrimFunc(s, space)
	if known && s != "" && strings.Trim(s, "0123456789.eE+-") == "" {
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return numberOf(n)
		}
	}
	if known && len(s) > 2 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) && !strings.Contains(s, "_") {
		if n, err := strconv.ParseInt(s, 0, 32); err == nil {
			return numberOf(float64(n))
		}
	}
	return value{sort: numeric}
}

// parsedInt is parseInt(s, base...).
func parsedInt(s string, known bool, base []value) value {
	s = strings.TrimFunc(s, space)
	radix := 10
	if len(base) > 0 {
		n, ok := integer(base, 0)
		if !ok || n < 2 || n > 36 {
			return value{sort: numeric}
		}
		radix = n
	}
	if low := strings.ToLower(s); strings.HasPrefix(low, "0x") && (radix == 16 || len(base) == 0) {
		s, radix = s[2:], 16
	}
	for end := len(s); known && end > 0 && end < 12; end-- { // the longest start that is a number
		if n, err := strconv.ParseInt(s[:end], radix, 48); err == nil {
			return numberOf(float64(n))
		}
	}
	return value{sort: numeric}
}

// unescaped is decodeURIComponent(s) and its kind.
func unescaped(s, how string) value {
	if how == "unescape" {
		code := regexp.MustCompile(`%u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}`)
		return textOf(code.ReplaceAllStringFunc(s, func(c string) string {
			n, _ := strconv.ParseUint(strings.TrimLeft(c, "%u"), 16, 16)
			return string(rune(n))
		}))
	}
	out, err := url.PathUnescape(s)
	if err != nil || how == "decodeURI" && regexp.MustCompile(`(?i)%(?:3b|2f|3f|3a|40|26|3d|2b|24|2c|23)`).MatchString(s) {
		return built()
	}
	return textOf(out)
}

// latin1 is a text of which each byte is one letter.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// fromJSON is JSON.parse(s). Its keys come in any order.
func fromJSON(s string) value {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return value{}
	}
	return ofJSON(v)
}

func ofJSON(v any) value {
	switch v := v.(type) {
	case string:
		return textOf(v)
	case float64:
		return numberOf(v)
	case bool:
		return truth(v)
	case nil:
		return word("null")
	case []any:
		l := make([]value, len(v))
		for i, el := range v {
			l[i] = ofJSON(el)
		}
		return listOf(l)
	case map[string]any:
		var keys []string
		fields := map[string]value{}
		for k, el := range v {
			keys, fields[k] = append(keys, k), ofJSON(el)
		}
		out := objectOf(keys, fields)
		out.open = len(keys) > 1 // the order of its keys is not kept here, so a list of them is none
		return out
	}
	return value{}
}
