package jsonpath

func (s *scanner) or() logical {
	defer s.nested()()
	list := []logical{s.and()}
	for s.blank(); s.take("||"); s.blank() {
		s.blank()
		list = append(list, s.and())
	}
	if len(list) == 1 {
		return list[0]
	}
	return anyOf(list)
}

func (s *scanner) and() logical {
	list := []logical{s.basic()}
	for s.blank(); s.take("&&"); s.blank() {
		s.blank()
		list = append(list, s.basic())
	}
	if len(list) == 1 {
		return list[0]
	}
	return allOf(list)
}

func (s *scanner) basic() logical {
	if s.peek() == '!' {
		s.at++
		s.blank()
		if s.peek() == '(' {
			return not{s.parenthesis()}
		}
		start := s.at
		return not{s.test(s.term(), start)}
	}
	if s.peek() == '(' {
		return s.parenthesis()
	}
	start := s.at
	left := s.term()
	after := s.at
	s.blank()
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if s.take(op) {
			s.comparable(left, start)
			s.blank()
			start = s.at
			right := s.term()
			s.comparable(right, start)
			return comparison{op, left, right}
		}
	}
	s.at = after
	return s.test(left, start)
}

func (s *scanner) parenthesis() logical {
	defer s.nested()()
	s.expect('(')
	s.blank()
	l := s.or()
	s.blank()
	s.expect(')')
	return l
}

// test is a term by itself, which stands at that place: does it exist, or is it true.
func (s *scanner) test(t term, at int) logical {
	switch t := t.(type) {
	case query:
		return exists{t}
	case *call:
		if t.f.result == logicalType {
			return truth{t}
		}
		s.at = at
		s.fail("expected a comparison with what %s() returns", t.f.name)
	}
	s.at = at
	s.fail("expected a comparison with the literal")
	return nil
}

// comparable wants a term to have one value.
func (s *scanner) comparable(t term, at int) {
	switch t := t.(type) {
	case query:
		if !t.singular {
			s.at = at
			s.fail("expected a query of one value")
		}
	case *call:
		if t.f.result != valueType {
			s.at = at
			s.fail("expected a value, which %s() does not return", t.f.name)
		}
	}
}

func (s *scanner) term() term {
	switch c := s.peek(); {
	case c == '@' || c == '$':
		defer s.nested()()
		s.at++
		return s.query(c == '$')
	case c == '"' || c == '\'':
		return literal{s.quoted()}
	case c == '-' || c >= '0' && c <= '9':
		return literal{s.number()}
	}
	start := s.at
	for c := s.peek(); c >= 'a' && c <= 'z' || s.at > start && (c == '_' || c >= '0' && c <= '9'); c = s.peek() {
		s.at++
	}
	switch word := s.text[start:s.at]; word {
	case "true", "false":
		return literal{word == "true"}
	case "null":
		return literal{nil}
	case "":
		s.fail("expected @, $, a literal or a function")
	default:
		if s.peek() == '(' {
			return s.call(word, start)
		}
		s.at = start
		s.fail("expected a literal or a function but got %q", word)
	}
	return nil
}

// call reads the arguments of a function.
func (s *scanner) call(word string, start int) term {
	defer s.nested()()
	f, ok := functions[word]
	if !ok {
		s.at = start
		s.fail("expected length, count, value, match or search but got function %q", word)
	}
	s.expect('(')
	c := &call{f: f}
	for i, kind := range f.args {
		if i > 0 {
			s.blank()
			s.expect(',')
		}
		s.blank()
		at := s.at
		t := s.term()
		if q, ok := t.(query); kind == nodesType && !ok || kind == valueType && ok && !q.singular {
			s.at = at
			s.fail("expected another kind of argument for %s()", word)
		}
		if inner, ok := t.(*call); ok && inner.f.result != kind {
			s.at = at
			s.fail("expected another kind of argument for %s()", word)
		}
		c.args = append(c.args, t)
	}
	s.blank()
	s.expect(')')
	c.compile()
	return c
}
