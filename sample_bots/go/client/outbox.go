package client

import (
	"sync"

	"google.golang.org/protobuf/proto"

	"roostbot/roostv1"
)

const (
	usualMaxBytes = 64 << 10
	overhead      = 4 // the bytes before an answer in a message: its field number, and its length
)

// outbox is what waits to be sent on one stream. While one message is being sent, the next one collects here, so that a
// busy bot sends few large messages and an idle one loses no time.
type outbox struct {
	hello *roostv1.Hello // goes first, and alone

	mutex    sync.Mutex
	news     *sync.Cond
	message  *roostv1.BotMessage
	maxBytes int // the largest message that the arena takes; its welcome says so
	changed  bool
	closed   bool
}

func newOutbox() *outbox {
	out := &outbox{message: &roostv1.BotMessage{}, maxBytes: usualMaxBytes}
	out.news = sync.NewCond(&out.mutex)
	return out
}

func (o *outbox) change(add func(*roostv1.BotMessage)) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	add(o.message)
	o.changed = true
	o.news.Signal()
}

func (o *outbox) addPong(ping uint32) {
	o.change(func(message *roostv1.BotMessage) { message.Pong = ping })
}

func (o *outbox) addLeaving() {
	o.change(func(message *roostv1.BotMessage) { message.Leaving = true })
}

func (o *outbox) addReady(match uint32) {
	o.change(func(message *roostv1.BotMessage) { message.Ready = append(message.Ready, match) })
}

func (o *outbox) addAnswers(answers []*roostv1.Answer) {
	if len(answers) > 0 {
		o.change(func(message *roostv1.BotMessage) { message.Answers = append(message.Answers, answers...) })
	}
}

func (o *outbox) setMaxBytes(bytes int) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.maxBytes = bytes
}

func (o *outbox) close() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.closed = true
	o.news.Signal()
}

// write sends what gathers, until the stream is over; what reads from it hears why.
func (o *outbox) write(stream roostv1.Arena_PlayClient) {
	next := &roostv1.BotMessage{Hello: o.hello}
	for next != nil && stream.Send(next) == nil {
		next = o.next()
	}
}

// next waits for something to send: everything, or of too many answers as many as the arena takes. Nil at the end.
func (o *outbox) next() *roostv1.BotMessage {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for !o.changed && !o.closed {
		o.news.Wait()
	}
	if o.closed {
		return nil
	}
	message := o.message
	o.message, o.changed = &roostv1.BotMessage{}, false
	o.keepRest(message)
	return message
}

func (o *outbox) keepRest(message *roostv1.BotMessage) {
	answers := message.Answers
	message.Answers = nil
	size := proto.Size(message)
	for sent, answer := range answers {
		size += proto.Size(answer) + overhead
		if size > o.maxBytes && sent > 0 {
			message.Answers, o.message.Answers, o.changed = answers[:sent], answers[sent:], true
			return
		}
	}
	message.Answers = answers
}
