(* claims: prop-1
   theorems: prop_1_f_minus_g prop_1_g_minus_f prop_1_half_width

   Proposition 1: at one input of norm 1, the worst gap between f and g over the ball falls apart
   into one problem for each neuron, and its value is known exactly. *)

From Coq Require Import Reals Lra Lia.
Require Import Sums.
Open Scope R_scope.

(* The two activations: z 1{z > tau}, the paper's, and (z - tau)_+. *)
Inductive activation := jump | continuous.

Definition sigma (act : activation) (tau z : R) : R :=
  match act with jump => z * above z tau | continuous => pos (z - tau) end.

(* U_r and V_r of the proposition, for z_r = z. *)
Definition U (act : activation) (tau delta z : R) : R :=
  match act with
  | jump =>
      if Rlt_dec 0 (z - tau) then pos (delta - z)
      else if Rlt_dec (- delta) (z - tau) then z + delta else 0
  | continuous => pos (delta - Rabs (z - tau))
  end.

Definition V (act : activation) (tau delta z : R) : R :=
  match act with
  | jump => if Rlt_dec 0 (z - tau) then if Rle_dec (z - tau) delta then tau else 0 else 0
  | continuous => 0
  end.

(* e_r(u): what remains of the r-th term of f - g when its value at u = 0 is subtracted. *)
Definition e (act : activation) (tau z u : R) : R :=
  sigma act tau (z + u) - sigma act tau z - u * above z tau.

Lemma Rmax_spec a b : (b <= a /\ Rmax a b = a) \/ (a <= b /\ Rmax a b = b).
Proof. unfold Rmax. destruct (Rle_dec a b); lra. Qed.

Lemma Rabs_spec a : (0 <= a /\ Rabs a = a) \/ (a <= 0 /\ Rabs a = - a).
Proof. destruct (Rle_dec 0 a); [left; rewrite Rabs_pos_eq | right; rewrite Rabs_left1]; lra. Qed.

Ltac cases := repeat (match goal with
  | |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b)
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
  end); repeat (match goal with
  | |- context [Rabs ?a] => destruct (Rabs_spec a) as [[? ->] | [? ->]] end);
  repeat (match goal with
  | |- context [Rmax ?a ?b] => destruct (Rmax_spec a b) as [[? ->] | [? ->]] end).

Section One_neuron.
Variables (act : activation) (tau delta z : R).
Hypotheses (Htau : 0 <= tau) (Hdelta : 0 <= delta).

(* One neuron: e_r stays between -V_r and U_r while the move u stays in [-delta, delta] ... *)
Lemma one_neuron_bounds u :
  Rabs u <= delta -> - V act tau delta z <= e act tau z u <= U act tau delta z.
Proof.
  intros Hu. apply Rabs_le_between in Hu.
  unfold e, sigma, U, V, above, pos. destruct act; split; cases; lra.
Qed.

(* ... and reaches both ends: U_r at u = delta, -delta or 0, -V_r exactly on the threshold. *)
Lemma one_neuron_max : {u | Rabs u <= delta /\ e act tau z u = U act tau delta z}.
Proof.
  destruct (Rlt_dec 0 (z - tau)); [|exists delta].
  - (* a jump that would have to fall from above delta is better left alone *)
    destruct act; [destruct (Rle_dec z delta); [exists (- delta) | exists 0] | exists (- delta)];
      unfold e, sigma, U, above, pos; split; cases; lra.
  - unfold e, sigma, U, above, pos; destruct act; split; cases; lra.
Qed.

Lemma one_neuron_min : {u | Rabs u <= delta /\ e act tau z u = - V act tau delta z}.
Proof.
  destruct (Rlt_dec 0 (z - tau)); [destruct (Rle_dec (z - tau) delta)|];
    [exists (tau - z) | exists 0 | exists 0];
    unfold e, sigma, V, above, pos; destruct act; split; cases; lra.
Qed.
End One_neuron.

Section Network.
Variables (d m : nat) (act : activation) (a tau delta : R).
Variables (plus : nat -> bool).          (* whether a_r = +a; otherwise a_r = -a *)
Variables (W0 : nat -> nat -> R) (b0 : nat -> R) (x : nat -> R).
Hypotheses (Ha : 0 < a) (Htau : 0 <= tau) (Hdelta : 0 <= delta) (Hx : norm d x = 1).

Definition out (r : nat) : R := if plus r then a else - a.
Definition z (r : nat) : R := dot d (W0 r) x + b0 r.

Definition f (W : nat -> nat -> R) : R :=
  sum m (fun r => out r * sigma act tau (dot d (W r) x + b0 r)).
Definition g (W : nat -> nat -> R) : R :=
  sum m (fun r => out r * (dot d (minus (W r) (W0 r)) x * above (z r) tau)).
Definition B : R := f W0.

Definition in_ball (W : nat -> nat -> R) : Prop :=
  forall r, (r < m)%nat -> norm d (minus (W r) (W0 r)) <= delta.

(* [is_max value top]: the largest value over the ball is top, and it is attained. *)
Definition is_max (value : (nat -> nat -> R) -> R) (top : R) : Prop :=
  (forall W, in_ball W -> value W <= top) /\ exists W, in_ball W /\ value W = top.

(* sum over a_r > 0 of u r, plus sum over a_r < 0 of v r *)
Definition by_sign (u v : nat -> R) : R := sum m (fun r => if plus r then u r else v r).

Definition Ur (r : nat) : R := U act tau delta (z r).
Definition Vr (r : nat) : R := V act tau delta (z r).
Definition H : R := a / 2 * sum m (fun r => Ur r + Vr r).

(* f - g - B is the sum of the e_r at the moves u_r = <w_r - w_{r,0}, x>. *)
Lemma gap_by_neurons W :
  f W - g W = B + sum m (fun r => out r * e act tau (z r) (dot d (minus (W r) (W0 r)) x)).
Proof.
  unfold f, g, B, f. rewrite <- sum_minus, <- sum_plus. apply sum_ext. intros r _.
  unfold e, z. rewrite dot_minus_l.
  replace (dot d (W0 r) x + b0 r + (dot d (W r) x - dot d (W0 r) x)) with (dot d (W r) x + b0 r)
    by ring. ring.
Qed.

(* In the ball no move is larger than delta, because x has norm 1 (Cauchy and Schwarz). *)
Lemma move_bound W r : in_ball W -> (r < m)%nat -> Rabs (dot d (minus (W r) (W0 r)) x) <= delta.
Proof.
  intros HW Hr. eapply Rle_trans; [apply cauchy_schwarz|]. rewrite Hx. specialize (HW r Hr). lra.
Qed.

Lemma neuron_in_ball W r :
  in_ball W -> (r < m)%nat -> - Vr r <= e act tau (z r) (dot d (minus (W r) (W0 r)) x) <= Ur r.
Proof. intros. apply one_neuron_bounds; auto using move_bound. Qed.

(* The moves are independent: w_r = w_{r,0} + u_r x makes any choice of them. *)
Lemma any_moves (u : nat -> R) :
  (forall r, Rabs (u r) <= delta) ->
  exists W, in_ball W /\ forall r, dot d (minus (W r) (W0 r)) x = u r.
Proof.
  intros Hu. exists (fun r j => W0 r j + u r * x j). split.
  - intros r _. replace (norm d (minus (fun j => W0 r j + u r * x j) (W0 r)))
      with (norm d (fun j => u r * x j)).
    + rewrite norm_scal, Hx. specialize (Hu r). lra.
    + unfold norm, dot, minus. f_equal. apply sum_ext. intros. ring.
  - intros r. transitivity (u r * dot d x x).
    + unfold dot, minus. rewrite <- sum_scal. apply sum_ext. intros. ring.
    + rewrite <- norm_sq, Hx. ring.
Qed.

(* So m problems in one variable remain: here the best choice of each, for a target per neuron. *)
Lemma choose (target : nat -> R) :
  (forall r, {u | Rabs u <= delta /\ e act tau (z r) u = target r}) ->
  exists W, in_ball W /\ f W - g W = B + sum m (fun r => out r * target r).
Proof.
  intros Ht. destruct (any_moves (fun r => proj1_sig (Ht r))) as [W [HW Hm]].
  { intros r. apply (proj2_sig (Ht r)). }
  exists W. split; [exact HW|]. rewrite gap_by_neurons. f_equal. apply sum_ext. intros r _.
  rewrite Hm. now rewrite (proj2 (proj2_sig (Ht r))).
Qed.

Theorem prop_1_f_minus_g : is_max (fun W => f W - g W) (B + a * by_sign Ur Vr).
Proof.
  unfold by_sign. rewrite <- sum_scal. split.
  - intros W HW. rewrite gap_by_neurons. apply Rplus_le_compat_l, sum_le. intros r Hr.
    pose proof (neuron_in_ball W r HW Hr) as Hb.
    unfold out. destruct (plus r); nra.
  - destruct (choose (fun r => if plus r then Ur r else - Vr r)) as [W [HW E]].
    + intros r. destruct (plus r); [now apply one_neuron_max | now apply one_neuron_min].
    + exists W. split; [exact HW|]. rewrite E. f_equal. apply sum_ext. intros r _.
      unfold out. destruct (plus r); ring.
Qed.

Theorem prop_1_g_minus_f : is_max (fun W => g W - f W) (- B + a * by_sign Vr Ur).
Proof.
  unfold by_sign. rewrite <- sum_scal. split.
  - intros W HW. replace (g W - f W) with (- (f W - g W)) by ring. rewrite gap_by_neurons.
    rewrite Ropp_plus_distr. apply Rplus_le_compat_l.
    replace (- sum m (fun r => out r * e act tau (z r) (dot d (minus (W r) (W0 r)) x)))
      with (sum m (fun r => -1 * (out r * e act tau (z r) (dot d (minus (W r) (W0 r)) x))))
      by (rewrite sum_scal; ring).
    apply sum_le. intros r Hr.
    pose proof (neuron_in_ball W r HW Hr) as Hb.
    unfold out. destruct (plus r); nra.
  - destruct (choose (fun r => if plus r then - Vr r else Ur r)) as [W [HW E]].
    + intros r. destruct (plus r); [now apply one_neuron_min | now apply one_neuron_max].
    + exists W. split; [exact HW|]. replace (g W - f W) with (- (f W - g W)) by ring. rewrite E.
      rewrite Ropp_plus_distr. f_equal.
      replace (- sum m (fun r => out r * (if plus r then - Vr r else Ur r)))
        with (sum m (fun r => -1 * (out r * (if plus r then - Vr r else Ur r))))
        by (rewrite sum_scal; ring).
      apply sum_ext. intros r _. unfold out. destruct (plus r); ring.
Qed.

(* Half the sum of the two suprema is H, so |f - g| reaches at least H somewhere in the ball. *)
Theorem prop_1_half_width :
  H = ((B + a * by_sign Ur Vr) + (- B + a * by_sign Vr Ur)) / 2 /\
  exists W, in_ball W /\ H <= Rabs (f W - g W).
Proof.
  assert (E : sum m (fun r => Ur r + Vr r) = by_sign Ur Vr + by_sign Vr Ur).
  { unfold by_sign. rewrite <- sum_plus. apply sum_ext. intros r _. destruct (plus r); ring. }
  unfold H. rewrite E. split; [field|].
  destruct prop_1_f_minus_g as [_ [W [HW EW]]], prop_1_g_minus_f as [_ [W' [HW' EW']]].
  destruct (Rle_dec (a * by_sign Vr Ur - B) (a * by_sign Ur Vr + B)).
  - exists W. split; [exact HW|]. eapply Rle_trans; [|apply Rle_abs]. lra.
  - exists W'. split; [exact HW'|]. rewrite Rabs_minus_sym.
    eapply Rle_trans; [|apply Rle_abs]. lra.
Qed.
End Network.
